#pragma once
// What scripts compiled to, by the hash of all that decides it; a script that does not compile is
// remembered too. The least recently used goes first. Any thread.

#include <list>
#include <map>
#include <memory>

#include "adapters/script/compile.h"
#include "base/core/sha256.h"
#include "base/core/thread_safety.h"

namespace baton::adapters {

Sha256 key_of(const state::Script& script);

class CodeCache {
 public:
  CodeCache(std::size_t entries_max, std::size_t bytes_max)
      : entries_max_(entries_max), bytes_max_(bytes_max) {}

  /// Nothing when it is not there.
  std::shared_ptr<const Compiled> find(const Sha256& key);
  std::shared_ptr<const Compiled> put(const Sha256& key, Compiled compiled);

 private:
  struct Entry {
    Sha256 key;
    std::shared_ptr<const Compiled> compiled;
    std::size_t bytes = 0;
  };

  const std::size_t entries_max_;
  const std::size_t bytes_max_;
  Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);
  std::map<Sha256, std::list<Entry>::iterator> places_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace baton::adapters
