#pragma once
// Hub: who wants to hear of changes, and the way to tell them all. Any thread may publish and
// subscribe. A callback runs on the publisher's thread, must not block and must not call the hub;
// once its Subscription is gone it is not running and never runs again.

#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "protocol/changes.h"

namespace baton::transport {

class Hub {
  struct Listeners;

 public:
  using Callback = std::function<void(const protocol::Change&)>;

  class [[nodiscard]] Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&&) noexcept = default;
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription() { end(); }

   private:
    friend class Hub;
    Subscription(std::shared_ptr<Listeners> listeners, std::list<Callback>::iterator at)
        : listeners_(std::move(listeners)), at_(at) {}
    void end();

    std::shared_ptr<Listeners> listeners_;
    std::list<Callback>::iterator at_;
  };

  Hub();

  void publish(const protocol::Change& change) const;
  Subscription subscribe(Callback callback);

 private:
  std::shared_ptr<Listeners> listeners_;
};

}  // namespace baton::transport
