#include "transport/http/session.h"

#include <algorithm>

#include "base/core/limits.h"

namespace baton::transport {

StreamHead sse_head() {
  return {.headers = {{"Content-Type", "text/event-stream"},
                      {"Cache-Control", "no-cache, no-transform"},
                      {"X-Accel-Buffering", "no"}},
          .keep_alive = std::string(sse_comment)};
}

HttpSession::HttpSession(std::string id, std::string principal, std::uint64_t client)
    : id_(std::move(id)), principal_(std::move(principal)), client_(client) {
  connection_.principal = principal_;
}

protocol::Action HttpSession::accept(const protocol::Server& server, protocol::Incoming message,
                                     const protocol::Headers& headers) {
  const MutexLock lock(mutex_);
  return server.accept(std::move(message), connection_, &headers);
}

bool HttpSession::initialized() const {
  const MutexLock lock(mutex_);
  return connection_.initialized;
}

void HttpSession::start(Stream& stream, std::uint64_t number, std::shared_ptr<Exchange> exchange) {
  if (stream.exchange) stream.exchange->finish();
  stream.exchange = std::move(exchange);
  stream.exchange->start_stream(sse_head());
  // Clients of earlier revisions take an empty event for a broken message.
  if (primes()) {
    stream.exchange->write(sse_priming({number, stream.last}, limits::sse_retry_ms));
  }
}

std::uint64_t HttpSession::open_stream(std::shared_ptr<Exchange> exchange) {
  const MutexLock lock(mutex_);
  const std::uint64_t number = ++streams_opened_;
  start(streams_[number], number, std::move(exchange));
  return number;
}

void HttpSession::open_standalone(std::shared_ptr<Exchange> exchange) {
  const MutexLock lock(mutex_);
  start(streams_[0], 0, std::move(exchange));
}

void HttpSession::append(Stream& stream, std::uint64_t number, std::string_view line) {
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
void HttpSession::make_room() {
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

bool HttpSession::send(std::uint64_t stream, std::string_view line) {
  const MutexLock lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end() || ended_) return false;
  append(found->second, stream, line);
  return true;
}

void HttpSession::finish(std::uint64_t stream) {
  const MutexLock lock(mutex_);
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

void HttpSession::close_exchange(std::uint64_t stream) {
  const MutexLock lock(mutex_);
  const auto found = streams_.find(stream);
  // Before there was priming, a stream stayed open until its answer was sent: a client that has
  // heard of no event has nothing to resume from.
  if (found != streams_.end() && primes()) end_exchange(found->second);
}

void HttpSession::end_exchange(Stream& stream) {
  if (!stream.exchange) return;
  stream.exchange->write(sse_retry(limits::sse_retry_ms));
  stream.exchange->finish();
  stream.exchange = nullptr;
}

bool HttpSession::resume(EventId last, const std::shared_ptr<Exchange>& exchange) {
  const MutexLock lock(mutex_);
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

void HttpSession::notify(const protocol::Change& change) {
  const MutexLock lock(mutex_);
  if (ended_) return;
  const auto found = streams_.find(0);
  if (found == streams_.end()) return;
  if (const auto line = protocol::notification_for(change, connection_)) {
    append(found->second, 0, *line);
  }
}

void HttpSession::hang_up() {
  const MutexLock lock(mutex_);
  const auto found = streams_.find(0);
  if (found != streams_.end()) end_exchange(found->second);
}

void HttpSession::end() {
  const MutexLock lock(mutex_);
  ended_ = true;
  for (auto& [number, stream] : streams_) {
    if (stream.exchange) stream.exchange->finish();
  }
  streams_.clear();
  replay_bytes_ = 0;
}

bool HttpSession::has_reader() const {
  const MutexLock lock(mutex_);
  return std::ranges::any_of(streams_, [](const auto& each) {
    return each.second.exchange && !each.second.exchange->closed();
  });
}

}  // namespace baton::transport
