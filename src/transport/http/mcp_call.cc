#include "transport/http/mcp_call.h"

#include <utility>

namespace baton::transport {

using protocol::RpcCode;
using protocol::RpcError;

RpcError id_in_use() {
  return {RpcCode::invalid_request, "A request with this id is still being answered."};
}

McpCall::McpCall(std::shared_ptr<Exchange> exchange, std::shared_ptr<Session> session,
                 Accepted accepted, WorkerPool::StepAside step_aside)
    : session_(std::move(session)),
      accepted_(accepted),
      begun_(std::chrono::steady_clock::now()),
      step_aside_(std::move(step_aside)),
      exchange_(std::move(exchange)) {}

bool McpCall::open_stream() {
  if (state_ == State::streaming) return true;
  if (state_ == State::answered || !accepted_.stream) return false;
  state_ = State::streaming;
  if (session_) {
    stream_ = session_->open_stream(exchange_);
  } else {
    exchange_->start_stream(sse_head());
  }
  return true;
}

void McpCall::deliver(std::string_view line) {
  if (session_) {
    session_->send(stream_, line);
  } else {
    exchange_->write(sse_event(line));
  }
}

void McpCall::finish_stream() {
  if (session_) {
    session_->finish(stream_);
  } else {
    exchange_->finish();
  }
}

void McpCall::send(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!cancelled() && open_stream()) deliver(line);
}

std::expected<json::Value, RpcError> McpCall::ask(std::string_view method, json::Object params) {
  return ask_for(*this, method, std::move(params));
}

std::expected<json::Value, RpcError> McpCall::ask_for(const protocol::CallHost& part,
                                                      std::string_view method,
                                                      json::Object params) {
  {
    const std::lock_guard lock(mutex_);
    if (!session_ || !open_stream()) {
      return std::unexpected(
          RpcError{RpcCode::internal_error, "The client has no open stream to be asked on.", {}});
    }
  }
  const std::shared_ptr<void> aside = step_aside_();
  return session_->ask(stream_, method, std::move(params), [&part] { return part.cancelled(); });
}

void McpCall::close_stream() {
  const std::lock_guard lock(mutex_);
  if (session_ && open_stream()) session_->close_exchange(stream_);
}

void McpCall::cancel() {
  unwanted_.store(true);
  if (session_) session_->wake();
}

void McpCall::end() {
  ends_.store(true);
  if (session_) session_->wake();
}

void McpCall::conclude(protocol::Outcome outcome) {
  // Aside before the client knows, so that its next call finds the place free.
  const std::shared_ptr<void> aside = outcome.then ? step_aside_() : nullptr;
  answer(std::move(outcome.line), outcome.http_status);
  if (!outcome.then) return;
  carries_on_.store(true);
  outcome.then(*this);
}

void McpCall::answer(std::string line, int http_status) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::answered) return;
  // A cancelled call is answered by a stream without messages: its client must get no answer.
  const bool must_stream = !accepted_.json && http_status == 200;
  if ((cancelled() || must_stream) && state_ == State::waiting) {
    exchange_->start_stream(sse_head());
    if (!cancelled()) exchange_->write(sse_event(line));
    exchange_->finish();
  } else if (state_ == State::waiting) {
    exchange_->respond({http_status, {{"Content-Type", "application/json"}}, std::move(line)});
  } else {
    if (!cancelled()) deliver(line);
    finish_stream();
  }
  state_ = State::answered;
  exchange_ = nullptr;
}

bool McpCall::become_stream_if_begun_before(std::chrono::steady_clock::time_point time) {
  const std::lock_guard lock(mutex_);
  if (begun_ > time) return false;
  if (!cancelled()) open_stream();
  return true;
}

bool McpCall::is_answered() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::answered;
}

}  // namespace baton::transport
