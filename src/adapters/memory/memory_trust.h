#pragma once
// Trust that lasts as long as this object, for tests. Any thread.

#include <mutex>

#include "adapters/trust/trust_list.h"

namespace baton::adapters {

class MemoryTrust final : public ports::TrustAdmin {
 public:
  Result<bool> is_trusted(const Sha256& workflow) override {
    const std::scoped_lock lock(mutex_);
    return list_.has(workflow);
  }
  Result<std::vector<ports::TrustedWorkflow>> list() override {
    const std::scoped_lock lock(mutex_);
    return list_.all();
  }
  Result<void> add(const ports::TrustedWorkflow& workflow) override {
    const std::scoped_lock lock(mutex_);
    TRY(list_.add(workflow));
    return {};
  }
  Result<bool> revoke(const Sha256& workflow) override {
    const std::scoped_lock lock(mutex_);
    return list_.remove(workflow);
  }

 private:
  std::mutex mutex_;
  TrustList list_;  // guarded by mutex_
};

}  // namespace baton::adapters
