#pragma once
// What the owner allows every run, as it is now: a policy that is signed takes effect while a
// server runs. Any thread.

#include <utility>

#include "base/core/thread_safety.h"
#include "run/policy/policy.h"

namespace baton::engine {

class PolicyInForce {
 public:
  PolicyInForce() = default;
  PolicyInForce(const PolicyInForce& other) : policy_(other.now()) {}
  PolicyInForce& operator=(const PolicyInForce& other) {
    if (this != &other) set(other.now());
    return *this;
  }
  ~PolicyInForce() = default;

  run::OwnerPolicy now() const {
    const MutexLock lock(mutex_);
    return policy_;
  }
  run::Policy of(bool client_asks) const { return now().of(client_asks); }
  void set(run::OwnerPolicy policy) {
    const MutexLock lock(mutex_);
    std::swap(policy_, policy);
  }

 private:
  mutable Mutex mutex_;
  run::OwnerPolicy policy_ GUARDED_BY(mutex_);
};

}  // namespace baton::engine
