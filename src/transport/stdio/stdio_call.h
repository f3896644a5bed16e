#pragma once
// StdioCall: a call whose client reads lines. Shared by the threads that run calls, also by those
// left behind at the end, and so is the output.

#include <memory>
#include <string>
#include <string_view>

#include "base/core/thread_safety.h"
#include "transport/scheduler/call_scheduler.h"
#include "transport/stdio/output.h"

namespace baton::transport {

/// Collects the answers to one batch and sends them as one array when all are there. Any thread.
class BatchReply {
 public:
  /// `expected` answers or drops complete it.
  BatchReply(std::shared_ptr<Output> output, std::size_t expected)
      : output_(std::move(output)), missing_(expected) {}

  void give(std::string_view line);
  void drop();

 private:
  void count_down() REQUIRES(mutex_);

  const std::shared_ptr<Output> output_;
  Mutex mutex_;
  std::size_t missing_ GUARDED_BY(mutex_);
  std::string lines_ GUARDED_BY(mutex_);  // joined by commas
};

class StdioCall final : public ScheduledCall {
 public:
  /// `batch`, where the answer belongs to one, may be null.
  StdioCall(CallScheduler& scheduler, std::uint64_t client, protocol::Work work, std::size_t bytes,
            std::shared_ptr<Output> output, std::shared_ptr<BatchReply> batch)
      : ScheduledCall(scheduler, {client, work.id}, bytes),
        work_(std::move(work)),
        output_(std::move(output)),
        batch_(std::move(batch)) {}

  void send(std::string_view line) override;
  void close_stream() override {}

 private:
  protocol::WorkResult run() override;
  void answer(protocol::WorkResult& outcome) override;
  std::expected<void, protocol::RpcError> tell(std::string line) override;

  const protocol::Work work_;
  const std::shared_ptr<Output> output_;
  const std::shared_ptr<BatchReply> batch_;
};

}  // namespace baton::transport
