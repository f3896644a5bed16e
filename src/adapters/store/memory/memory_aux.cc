#include "adapters/store/memory/memory_aux.h"

#include "base/core/limits.h"

namespace baton::adapters {

void MemoryAux::count(std::string_view counter, std::int64_t by) {
  const MutexLock lock(mutex_);
  counters_[std::string(counter)] += by;
}

void MemoryAux::record(ports::CallRecord call) {
  const MutexLock lock(mutex_);
  calls_.push_back(std::move(call));
  if (calls_.size() > limits::aux_pending_calls_max) calls_.pop_front();
}

Result<std::int64_t> MemoryAux::counter(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = counters_.find(name);
  return found == counters_.end() ? 0 : found->second;
}

Result<std::vector<ports::CallRecord>> MemoryAux::calls(std::size_t limit) {
  const MutexLock lock(mutex_);
  std::vector<ports::CallRecord> out;
  for (auto at = calls_.rbegin(); at != calls_.rend() && out.size() < limit; ++at) {
    out.push_back(*at);
  }
  return out;
}

void MemoryAux::remember(std::string key, std::string text) {
  const MutexLock lock(mutex_);
  if (texts_.size() >= limits::aux_texts_max) texts_.clear();
  texts_.insert_or_assign(std::move(key), std::move(text));
}

std::optional<std::string> MemoryAux::remembered(std::string_view key) {
  const MutexLock lock(mutex_);
  const auto found = texts_.find(key);
  if (found == texts_.end()) return std::nullopt;
  return found->second;
}

}  // namespace baton::adapters
