#include "transport/http/session.h"

#include <chrono>
#include <vector>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::transport {

StreamHead sse_head() {
  return {.headers = {{"Content-Type", "text/event-stream"},
                      {"Cache-Control", "no-cache, no-transform"},
                      {"X-Accel-Buffering", "no"}},
          .keep_alive = std::string(sse_comment)};
}

Session::Session(std::string id, std::string principal)
    : id_(std::move(id)), principal_(std::move(principal)) {
  connection_.principal = principal_;
}

protocol::Step Session::accept(const protocol::Server& server, protocol::Incoming message,
                               const protocol::Headers& headers) {
  const std::lock_guard lock(mutex_);
  return server.accept(std::move(message), connection_, &headers);
}

bool Session::initialized() const {
  const std::lock_guard lock(mutex_);
  return connection_.initialized;
}

// --- Calls --------------------------------------------------------------------------------------

bool Session::begin_call(const protocol::RequestId& id, std::weak_ptr<Cancellable> call) {
  const std::lock_guard lock(mutex_);
  return calls_.emplace(id, std::move(call)).second;
}

void Session::end_call(const protocol::RequestId& id) {
  const std::lock_guard lock(mutex_);
  calls_.erase(id);
}

void Session::cancel_call(const protocol::RequestId& id) {
  std::shared_ptr<Cancellable> call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(id);
    if (found != calls_.end()) call = found->second.lock();
  }
  if (call) call->cancel();
}

// --- Streams ------------------------------------------------------------------------------------

void Session::start(Stream& stream, std::uint64_t number, std::shared_ptr<Exchange> exchange) {
  if (stream.exchange) stream.exchange->finish();
  stream.exchange = std::move(exchange);
  stream.exchange->start_stream(sse_head());
  // Clients of earlier revisions take an empty event for a broken message.
  if (primes()) {
    stream.exchange->write(sse_priming({number, stream.last}, limits::sse_retry_ms));
  }
}

std::uint64_t Session::open_stream(std::shared_ptr<Exchange> exchange) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = ++streams_opened_;
  start(streams_[number], number, std::move(exchange));
  return number;
}

void Session::open_standalone(std::shared_ptr<Exchange> exchange) {
  const std::lock_guard lock(mutex_);
  start(streams_[0], 0, std::move(exchange));
}

void Session::append(Stream& stream, std::uint64_t number, std::string_view line) {
  ++stream.last;
  if (stream.exchange) {
    const std::string event = sse_event(line, EventId{number, stream.last});
    if (!stream.exchange->write(event)) stream.exchange = nullptr;
  }
  stream.events.push_back({stream.last, std::string(line)});
  replay_bytes_ += line.size();
  make_room();
}

/// Drops what is oldest, finished streams first. The last event of a stream is worth most: it is
/// the answer.
void Session::make_room() {
  while (replay_bytes_ > limits::http_replay_bytes_max) {
    auto victim = streams_.end();
    for (auto each = streams_.begin(); each != streams_.end(); ++each) {
      if (each->second.events.size() < 2 && !each->second.finished) continue;
      if (each->second.events.empty()) continue;
      if (victim == streams_.end() || (each->second.finished && !victim->second.finished)) {
        victim = each;
      }
    }
    if (victim == streams_.end()) return;
    Stream& stream = victim->second;
    replay_bytes_ -= stream.events.front().line.size();
    stream.dropped = stream.events.front().number;
    stream.events.pop_front();
    if (stream.finished && stream.events.empty()) streams_.erase(victim);
  }
}

void Session::send(std::uint64_t stream, std::string_view line) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  if (found != streams_.end() && !ended_) append(found->second, stream, line);
}

void Session::finish(std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  found->second.finished = true;
  if (found->second.exchange) found->second.exchange->finish();
  found->second.exchange = nullptr;
  std::size_t finished = 0;
  for (const auto& [number, each] : streams_) finished += each.finished ? 1 : 0;
  if (finished <= limits::http_replay_streams_max) return;
  for (auto each = streams_.begin(); each != streams_.end(); ++each) {
    if (!each->second.finished) continue;
    for (const Event& event : each->second.events) replay_bytes_ -= event.line.size();
    streams_.erase(each);
    return;
  }
}

void Session::close_exchange(std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  // Before there was priming, a stream stayed open until its answer was sent: a client that has
  // heard of no event has nothing to resume from.
  if (found != streams_.end() && primes()) end_exchange(found->second);
}

void Session::end_exchange(Stream& stream) {
  if (!stream.exchange) return;
  stream.exchange->write(sse_retry(limits::sse_retry_ms));
  stream.exchange->finish();
  stream.exchange = nullptr;
}

bool Session::resume(EventId last, const std::shared_ptr<Exchange>& exchange) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(last.stream);
  if (found == streams_.end()) return false;
  Stream& stream = found->second;
  if (last.event > stream.last || last.event < stream.dropped) return false;
  if (stream.exchange) stream.exchange->finish();
  stream.exchange = exchange;
  exchange->start_stream(sse_head());
  for (const Event& event : stream.events) {
    if (event.number <= last.event) continue;
    exchange->write(sse_event(event.line, EventId{last.stream, event.number}));
  }
  if (stream.finished) {
    exchange->finish();
    stream.exchange = nullptr;
  }
  return true;
}

void Session::notify(const protocol::Change& change) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  const auto found = streams_.find(0);
  if (found == streams_.end()) return;
  if (const auto line = protocol::notification_for(change, connection_)) {
    append(found->second, 0, *line);
  }
}

// --- Requests of ours ---------------------------------------------------------------------------

std::expected<json::Value, protocol::RpcError> Session::ask(
    std::uint64_t stream, std::string_view method, json::Object params,
    const std::function<bool()>& cancelled) {
  using protocol::RpcCode;
  using protocol::RpcError;
  std::unique_lock lock(mutex_);
  const protocol::RequestId id = ++asked_;
  const auto found = streams_.find(stream);
  if (found == streams_.end() || ended_) {
    return std::unexpected(RpcError{RpcCode::internal_error, "The session has ended.", {}});
  }
  append(found->second, stream, protocol::encode_request(id, method, std::move(params)));
  const auto place = asks_.emplace(id, std::nullopt).first;
  const bool heard =
      news_.wait_for(lock, std::chrono::milliseconds(limits::client_answer_ms_max),
                     [&] { return place->second || ended_ || deaf_ || cancelled(); });
  const std::optional<protocol::Response> response = std::move(place->second);
  asks_.erase(place);
  if (!response) {
    const std::string_view why = deaf_   ? "The server ends before the client answered."
                                 : heard ? "The call was cancelled."
                                         : "The client did not answer in time.";
    const auto still = streams_.find(stream);
    if (still != streams_.end() && !ended_ && !deaf_) {
      append(still->second, stream,
             protocol::encode_notification(
                 "notifications/cancelled",
                 {{"requestId", protocol::to_json(id)}, {"reason", std::string(why)}}));
    }
    return std::unexpected(RpcError{RpcCode::internal_error, std::string(why), {}});
  }
  if (response->is_error) {
    const json::Value* const text = response->body.find("message");
    const bool has_text = text != nullptr && text->is_string();
    return std::unexpected(RpcError{
        RpcCode::internal_error, has_text ? *text->if_string() : "The client refused.", {}});
  }
  return response->body;
}

void Session::answered(protocol::Response response) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = asks_.find(response.id);
    if (found == asks_.end()) return;
    found->second = std::move(response);
  }
  news_.notify_all();
}

void Session::wake() {
  // A waiter has looked before it released the lock, or looks after it has it again.
  {
    const std::lock_guard lock(mutex_);
  }
  news_.notify_all();
}

void Session::hang_up() {
  {
    const std::lock_guard lock(mutex_);
    deaf_ = true;
    const auto found = streams_.find(0);
    if (found != streams_.end()) end_exchange(found->second);
  }
  news_.notify_all();
}

void Session::end() {
  std::vector<std::shared_ptr<Cancellable>> calls;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    for (auto& [id, call] : calls_) {
      if (auto alive = call.lock()) calls.push_back(std::move(alive));
    }
    for (auto& [number, stream] : streams_) {
      if (stream.exchange) stream.exchange->finish();
    }
    streams_.clear();
    replay_bytes_ = 0;
  }
  for (const auto& call : calls) call->cancel();
  news_.notify_all();
}

bool Session::busy() const {
  const std::lock_guard lock(mutex_);
  if (!calls_.empty()) return true;
  for (const auto& [number, stream] : streams_) {
    if (stream.exchange && !stream.exchange->closed()) return true;
  }
  return false;
}

}  // namespace baton::transport
