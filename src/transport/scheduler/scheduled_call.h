#pragma once
// ScheduledCall: one call as its transport makes it and a CallScheduler runs it. The transport says
// what the call does and how its client hears of it; the scheduler says when and on which thread.
//
// The scheduler shares it with its transport until the call is finished. run(), answer() and tell()
// are called on the thread that runs the call, without a lock; cancelled() may be asked anywhere.

#include <atomic>
#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "protocol/server.h"

namespace baton::transport {

class CallScheduler;

class ScheduledCall : public protocol::CallHost {
 public:
  /// Whose request it is. Ids of different clients may be equal.
  struct Key {
    std::uint64_t client;
    protocol::RequestId id;
    auto operator<=>(const Key&) const = default;
  };

  /// `bytes` is the length of its message. REQUIRES: the scheduler outlives the call.
  ScheduledCall(CallScheduler& scheduler, Key key, std::size_t bytes)
      : scheduler_(scheduler), key_(std::move(key)), bytes_(bytes) {}
  ScheduledCall(const ScheduledCall&) = delete;
  ScheduledCall& operator=(const ScheduledCall&) = delete;

  const Key& key() const { return key_; }

  // As the running call sees it.
  bool cancelled() const override { return cancelled_.load(); }
  std::expected<json::Value, protocol::RpcError> ask(std::string_view method,
                                                     json::Object params) final;

 protected:
  CallScheduler& scheduler() { return scheduler_; }
  const std::atomic<bool>& cancellation() const { return cancelled_; }

  /// Whether the reader runs it and reads on after it.
  bool is_on_reader() const { return is_on_reader_; }

 private:
  friend class CallScheduler;

  /// What the call does. Never called for one that was cancelled before.
  virtual protocol::WorkResult run() = 0;
  /// The end of it: sends the answer, but nothing for a call that is cancelled.
  virtual void answer(protocol::WorkResult& outcome) = 0;
  /// Sends a request of ours, or that its answer is no longer awaited any more. An error: it cannot
  /// reach the client.
  virtual std::expected<void, protocol::RpcError> tell(std::string line) = 0;

  /// What the scheduler's mutex guards: CallScheduler::standing() gives it to who holds it.
  struct Standing {
    bool is_listed = false;    // it can be cancelled by its id, and counts
    bool is_part = false;      // of a batch, which counts for it
    bool is_answered = false;  // its id is free
    bool goes_on = false;      // after its answer
  };

  CallScheduler& scheduler_;
  const Key key_;
  const std::size_t bytes_;
  bool is_on_reader_ = false;  // written before it runs
  std::atomic<bool> cancelled_ = false;
  Standing standing_;
};

}  // namespace baton::transport
