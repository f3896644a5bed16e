#include "transport/hub.h"

#include <utility>

#include "base/core/thread_safety.h"

namespace baton::transport {

struct Hub::Listeners {
  Mutex mutex;
  std::list<Callback> callbacks GUARDED_BY(mutex);
};

Hub::Hub() : listeners_(std::make_shared<Listeners>()) {}

void Hub::publish(const protocol::Change& change) const {
  const MutexLock lock(listeners_->mutex);
  for (const Callback& callback : listeners_->callbacks) callback(change);
}

Hub::Subscription Hub::subscribe(Callback callback) {
  const MutexLock lock(listeners_->mutex);
  listeners_->callbacks.push_back(std::move(callback));
  return {listeners_, std::prev(listeners_->callbacks.end())};
}

Hub::Subscription& Hub::Subscription::operator=(Subscription&& other) noexcept {
  end();
  listeners_ = std::move(other.listeners_);
  at_ = other.at_;
  return *this;
}

void Hub::Subscription::end() {
  const std::shared_ptr<Listeners> listeners = std::exchange(listeners_, nullptr);
  if (!listeners) return;
  const MutexLock lock(listeners->mutex);
  listeners->callbacks.erase(at_);
}

}  // namespace baton::transport
