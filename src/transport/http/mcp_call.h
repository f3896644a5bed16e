#pragma once
// McpCall: one POSTed request from its start until its answer is on its way. The answer is plain
// JSON, unless something has to be sent before it, or it takes long: then the response becomes an
// event stream, in a legacy session one that can be resumed.
//
// A modern call is cancelled when its client leaves; a legacy one is not.

#include <chrono>
#include <memory>

#include "base/core/thread_safety.h"
#include "protocol/server.h"
#include "transport/http/accept.h"
#include "transport/http/exchange.h"
#include "transport/http/session.h"
#include "transport/scheduler/call_scheduler.h"

namespace baton::transport {

class McpHttpCall : public ScheduledCall {
 public:
  /// How its client is reached.
  struct Way {
    std::shared_ptr<Exchange> exchange;
    std::shared_ptr<HttpSession> session;  // null in the modern era
    Accepted accepted;
  };
  McpHttpCall(CallScheduler& scheduler, Key key, std::size_t bytes, Way way, protocol::Work work);

  void send(std::string_view line) override;
  void close_stream() override;

  /// The answer of one that was not started, and for answer().
  void respond(std::string line, int http_status);

  /// Makes a stream of an answer that takes long, so that signs of life can be sent. False when it
  /// is too early for that.
  bool become_stream_if_begun_before(std::chrono::steady_clock::time_point time);

  bool is_answered() const;

 protected:
  void answer(protocol::WorkResult& outcome) override;
  std::expected<void, protocol::RpcError> tell(std::string line) final;

 private:
  protocol::WorkResult run() override { return work_.run(*this); }

  bool open_stream() REQUIRES(mutex_);
  void deliver(std::string_view line) REQUIRES(mutex_);
  void finish_stream() REQUIRES(mutex_);

  enum class State : std::uint8_t { waiting, streaming, answered };

  const std::shared_ptr<HttpSession> session_;
  const Accepted accepted_;
  const protocol::Work work_;
  const std::chrono::steady_clock::time_point begun_;
  mutable Mutex mutex_;
  std::shared_ptr<Exchange> exchange_ GUARDED_BY(mutex_);  // released when it is answered
  State state_ GUARDED_BY(mutex_) = State::waiting;
  std::uint64_t stream_ GUARDED_BY(mutex_) = 0;  // of the session
};

/// The requests of one POSTed batch (2025-03-26) and their answers, which go out as one array. Each
/// request is a part with an id of its own, from before the first of them begins: cancelling one
/// silences that one alone. They run one after another, because a batch is one request to us.
class McpBatch final : public McpHttpCall {
 public:
  /// Takes the actions in their order, on the io thread. REQUIRES: `way.session` is not null.
  McpBatch(CallScheduler& scheduler, std::size_t bytes, Way way, protocol::Batch batch);
  /// The ids are free again.
  ~McpBatch() override;

  /// Whether nothing in it asks for an answer.
  bool is_silent() const { return parts_.empty() && lines_.empty(); }

 private:
  class Part;

  void start(std::uint64_t client, protocol::Work work);
  void add(std::string_view line);
  protocol::WorkResult run() override;

  std::vector<std::shared_ptr<Part>> parts_;
  std::string lines_;  // the answers so far, joined by commas
};

}  // namespace baton::transport
