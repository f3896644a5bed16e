#pragma once
// An AuxStore in memory: for tests, and where the file beside the store cannot be opened. Keeps the
// newest calls only. Any thread.

#include <deque>
#include <map>

#include "base/core/thread_safety.h"
#include "ports/aux_store.h"

namespace baton::adapters {

class MemoryAux : public ports::AuxStore {
 public:
  void count(std::string_view counter, std::int64_t by) override;
  void record(ports::CallRecord call) override;
  Result<std::int64_t> counter(std::string_view name) override;
  Result<std::vector<ports::CallRecord>> calls(std::size_t limit) override;
  void remember(std::string key, std::string text) override;
  std::optional<std::string> remembered(std::string_view key) override;

 private:
  Mutex mutex_;
  std::map<std::string, std::int64_t, std::less<>> counters_ GUARDED_BY(mutex_);
  std::deque<ports::CallRecord> calls_ GUARDED_BY(mutex_);  // oldest first
  std::map<std::string, std::string, std::less<>> texts_ GUARDED_BY(mutex_);
};

}  // namespace baton::adapters
