#pragma once
// A bounded cache of immutable values; the least recently used goes first. Any thread.

#include <list>
#include <map>
#include <memory>
#include <utility>

#include "base/core/thread_safety.h"

namespace baton::engine {

template <class Key, class Value>
class Lru {
 public:
  explicit Lru(std::size_t entries_max) : entries_max_(entries_max) {}

  std::shared_ptr<const Value> find(const Key& key) {
    const MutexLock lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  std::shared_ptr<const Value> put(const Key& key, Value value) {
    auto shared = std::make_shared<const Value>(std::move(value));
    const MutexLock lock(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) {
      found->second->second = shared;
      return shared;
    }
    entries_.emplace_front(key, shared);
    places_[key] = entries_.begin();
    if (entries_.size() > entries_max_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return shared;
  }

 private:
  using Entry = std::pair<Key, std::shared_ptr<const Value>>;

  const std::size_t entries_max_;
  Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);
  std::map<Key, typename std::list<Entry>::iterator> places_ GUARDED_BY(mutex_);
};

}  // namespace baton::engine
