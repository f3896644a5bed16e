#pragma once
// McpCall: one POSTed request from its start until its answer is on its way. The answer is plain
// JSON, unless something has to be sent before it, or it takes long: then the response becomes an
// event stream, in a legacy session one that can be resumed.
//
// A modern call is cancelled when its client leaves; a legacy one is not.

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "protocol/server.h"
#include "transport/http/accept.h"
#include "transport/http/exchange.h"
#include "transport/http/session.h"
#include "transport/worker_pool.h"

namespace baton::transport {

/// The refusal of a request whose id is that of another one in flight.
protocol::RpcError id_in_use();

class McpCall final : public protocol::CallHost,
                      public Cancellable,
                      public std::enable_shared_from_this<McpCall> {
 public:
  /// `session` is null in the modern era. While the call waits for its client, or runs on after its
  /// answer, it steps aside.
  McpCall(std::shared_ptr<Exchange> exchange, std::shared_ptr<Session> session, Accepted accepted,
          WorkerPool::StepAside step_aside);

  // As the running call sees it.
  bool cancelled() const override { return ends_.load() || (unwanted_.load() && !carries_on_); }
  void send(std::string_view line) override;
  std::expected<json::Value, protocol::RpcError> ask(std::string_view method,
                                                     json::Object params) override;
  void close_stream() override;

  /// The same as ask() for a request that is only a part of this one and cancelled by itself.
  std::expected<json::Value, protocol::RpcError> ask_for(const protocol::CallHost& part,
                                                         std::string_view method,
                                                         json::Object params);

  void cancel() override;

  /// The server ends: as if cancelled, also for what continues after the answer.
  void end();

  /// The answer. Nothing is sent for a call that was cancelled.
  void answer(std::string line, int http_status);

  /// The answer, and then what follows it, to which only end() says that it is cancelled.
  void conclude(protocol::Outcome outcome);

  /// Makes a stream of an answer that takes long, so that signs of life can be sent. False when it
  /// is too early for that.
  bool become_stream_if_begun_before(std::chrono::steady_clock::time_point time);

  bool is_answered() const;

 private:
  // REQUIRES: mutex_ is held.
  bool open_stream();
  void deliver(std::string_view line);
  void finish_stream();

  enum class State : std::uint8_t { waiting, streaming, answered };

  const std::shared_ptr<Session> session_;
  const Accepted accepted_;
  const std::chrono::steady_clock::time_point begun_;
  const WorkerPool::StepAside step_aside_;
  std::atomic<bool> unwanted_ = false;
  std::atomic<bool> ends_ = false;
  std::atomic<bool> carries_on_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<Exchange> exchange_;  // given up when it is answered
  State state_ = State::waiting;
  std::uint64_t stream_ = 0;  // of the session
};

}  // namespace baton::transport
