#include "transport/http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>

#include "base/text/text.h"

namespace baton::transport {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Stage = RequestReader::Stage;

const HttpRoute* route_of(const std::vector<HttpRoute>& routes, std::string_view path) {
  for (const HttpRoute& route : routes) {
    if (!path.starts_with(route.prefix)) continue;
    const std::string_view below = path.substr(route.prefix.size());
    if (below.empty() || below == "/" || (!route.alone && below[0] == '/')) return &route;
  }
  return nullptr;
}

HttpResponse too_much_at_once() {
  return text_response(503, "Too much is being sent at once. Try again later.");
}

std::string chunk_of(std::string_view bytes) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, bytes.size(), 16).ptr;
  return cat(std::string_view(digits, end), "\r\n", bytes, "\r\n");
}

}  // namespace

HttpConnection::HttpConnection(ConnectionShare& share, Socket socket, std::string peer)
    : share_(share), socket_(std::move(socket)), peer_(std::move(peer)) {}

void HttpConnection::start(std::list<std::shared_ptr<HttpConnection>>::iterator place) {
  place_ = place;
  ErrorCode ignored;
  socket_.non_blocking(true, ignored);
  run();
}

void HttpConnection::end() {
  if (state_ == State::ended) return;
  state_ = State::ended;
  share_.heads.release(*this);
  count_body(0);
  count_unsent(0);
  ErrorCode ignored;
  socket_.close(ignored);
  const std::shared_ptr<HttpConnection> self = std::move(*place_);
  share_.open.erase(place_);
  if (exchange_) exchange_->close();
  share_.closed();
}

void HttpConnection::close_when_idle() {
  keep_open_ = false;
  if (!is_busy()) end();
}

// --- Time ---------------------------------------------------------------------------------------

void HttpConnection::set_deadline(std::int64_t ms) {
  deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
}

void HttpConnection::tick(MonoTime now) {
  if (now >= deadline_) return timed_out();
  if (!keep_alive_.empty() &&
      now - quiet_since_ >= std::chrono::milliseconds(share_.options.keep_alive_ms)) {
    exchange_->keep_alive(keep_alive_);
  }
}

void HttpConnection::timed_out() {
  if (state_ != State::reading || awaits_output_ || !reader_ || !reader_->begun()) return end();
  refuse(text_response(408, "The request took too long to arrive."));
  run();
}

// --- Waiting ------------------------------------------------------------------------------------

void HttpConnection::wait_readable() {
  if (std::exchange(awaits_input_, true)) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const ErrorCode& error) {
    self->awaits_input_ = false;
    if (self->state_ == State::ended) return;
    if (error) return self->end();
    if (self->is_busy()) {
      self->look_at_peer();
    } else {
      self->receive();
    }
    self->run();
  });
}

void HttpConnection::wait_writable() {
  if (std::exchange(awaits_output_, true)) return;
  set_deadline(share_.options.write_ms);
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](const ErrorCode& error) {
    self->awaits_output_ = false;
    if (self->state_ == State::ended) return;
    if (error) return self->end();
    self->deadline_ = MonoTime::max();
    self->run();
  });
}

void HttpConnection::run() {
  while (state_ != State::ended && step() == Step::go_on) continue;
}

HttpConnection::Step HttpConnection::step() {
  if (!flush()) return Step::wait;
  switch (state_) {
    case State::reading: return read_step();
    case State::answering: return answer_step();
    case State::refusing: return refuse_step();
    case State::lingering: wait_readable(); break;
    case State::ended: break;
  }
  return Step::wait;
}

// --- Reading ------------------------------------------------------------------------------------

HttpConnection::Step HttpConnection::read_step() {
  if (!reader_) {
    // The one that has waited longest is first.
    share_.open.splice(share_.open.end(), share_.open, place_);
    stage_ = Stage::head;
    is_head_request_ = false;
    reader_ = std::make_unique<RequestReader>(share_.options.bounds);
    reader_->feed(std::exchange(rest_, {}));
    count_body(0);
    set_deadline(reader_->begun() ? share_.options.head_ms : share_.options.idle_ms);
  }
  const auto reached = reader_->advance();
  if (!reached) {
    refuse(reached.error());
    return Step::go_on;
  }
  if (*reached == stage_ && stage_ != Stage::complete) {
    if (stage_ == Stage::head && reader_->begun()) {
      is_head_kept_ = true;
      share_.heads.keep(*this, peer_, reader_->held_bytes());
      if (state_ != State::reading) return Step::go_on;  // it was the oldest itself
    }
    wait_readable();
    return Step::wait;
  }
  const bool head_is_new = stage_ == Stage::head;
  stage_ = *reached;
  if (head_is_new) {
    head_came();
  } else if (stage_ == Stage::complete) {
    dispatch();
  }
  return Step::go_on;
}

/// Takes what the socket has.
void HttpConnection::receive() {
  ErrorCode error;
  const std::size_t count = socket_.read_some(asio::buffer(share_.scratch), error);
  if (error == asio::error::would_block) return;
  if (error) return end();
  if (state_ != State::reading) return;  // lingering: what a refused client still sends is dropped
  if (!reader_->begun()) set_deadline(share_.options.head_ms);
  reader_->feed({share_.scratch.data(), count});
  if (stage_ == Stage::body && !count_body(reader_->held_bytes())) refuse(too_much_at_once());
}

bool HttpConnection::count_body(std::size_t bytes) {
  share_.unread_bodies_bytes += bytes - std::exchange(body_bytes_, bytes);
  return share_.unread_bodies_bytes <= share_.options.unread_bodies_bytes_max;
}

/// Decides by the head alone whether to read on.
void HttpConnection::head_came() {
  if (std::exchange(is_head_kept_, false)) share_.heads.release(*this);
  HttpRequest& head = reader_->request();
  is_head_request_ = head.method == "HEAD";
  auto principal = share_.guard.admit(head);
  if (!principal) return refuse(std::move(principal.error()));
  is_admitted_ = true;
  head.principal = std::move(*principal);
  if (auto problem = problem_of(head)) return refuse(std::move(*problem));
  if (!count_body(reader_->held_bytes())) return refuse(too_much_at_once());
  // One that is too large is refused in the next step. HTTP/1.0 knows no interim answers.
  const bool wanted = stage_ == Stage::body && !reader_->body_is_too_large() && !head.http_1_0;
  if (wanted && head.header("expect") != nullptr) output_ = "HTTP/1.1 100 Continue\r\n\r\n";
  set_deadline(share_.options.body_ms);
}

/// Why a request that may come in is not read on.
std::optional<HttpResponse> HttpConnection::problem_of(const HttpRequest& head) const {
  if (route_of(share_.routes, head.path()) == nullptr) {
    return text_response(404, "This path does not exist.");
  }
  for (const HttpHeader& header : head.headers) {
    if (header.name == "expect" && ascii_lower(header.value) != "100-continue") {
      return text_response(417, "The only supported expectation is 100-continue.");
    }
    if (header.name == "content-encoding" && stage_ == Stage::body &&
        ascii_lower(header.value) != "identity") {
      HttpResponse response = text_response(415, "Send the body without a Content-Encoding.");
      response.headers.push_back({"Accept-Encoding", "identity"});
      return response;
    }
  }
  return std::nullopt;
}

/// Others need the room. What follows runs later, because another connection is at work now.
void HttpConnection::give_up_head() {
  is_head_kept_ = false;
  refuse(text_response(503, "Too many requests are incomplete, and this one is the oldest."));
  asio::post(share_.io, [self = shared_from_this()] { self->run(); });
}

/// Answers with `response` and ends the connection, slowly enough for the client to read why.
void HttpConnection::refuse(HttpResponse response) {
  keep_open_ = false;
  deadline_ = MonoTime::max();
  state_ = State::refusing;
  // A client that lingers to read why keeps nothing else.
  share_.heads.release(*this);
  count_body(0);
  reader_.reset();
  Exchange::Output output;
  output.response = std::move(response);
  output_ = encode(output);
}

HttpConnection::Step HttpConnection::refuse_step() {
  ErrorCode error;
  socket_.shutdown(Socket::shutdown_send, error);
  set_deadline(share_.options.linger_ms);
  state_ = State::lingering;
  return Step::go_on;
}

// --- Answering ----------------------------------------------------------------------------------

void HttpConnection::dispatch() {
  HttpRequest request = std::move(reader_->request());
  rest_ = reader_->take_rest();
  reader_.reset();
  deadline_ = MonoTime::max();
  count_body(rest_.size());
  http_1_0_ = request.http_1_0;
  keep_open_ = keep_open_ && request.keep_alive && !http_1_0_ && !share_.stopping;
  state_ = State::answering;
  exchange_ = std::make_shared<Exchange>(share_.options.backlog_bytes_max);
  exchange_->attach([weak = weak_from_this(), &io = share_.io] {
    asio::post(io, [weak] {
      if (const auto self = weak.lock()) self->run();
    });
  });
  // The path was found when the head was checked.
  const HttpRoute* const route = route_of(share_.routes, request.path());
  route->handler(std::move(request), Exchange::handle(exchange_));
}

HttpConnection::Step HttpConnection::answer_step() {
  if (finished_) {
    answered();
    return Step::go_on;
  }
  Exchange::Output output = exchange_->take();
  if (output.cut) {
    end();
    return Step::wait;
  }
  if (output.empty()) {
    // The end of a client cannot be seen behind a request that it sent ahead.
    if (!sent_ahead_ && rest_.empty()) wait_readable();
    return Step::wait;
  }
  finished_ = output.finished;
  output_ = encode(output);
  quiet_since_ = std::chrono::steady_clock::now();
  return Step::go_on;
}

void HttpConnection::answered() {
  exchange_->close();
  exchange_.reset();
  keep_alive_ = {};
  finished_ = sent_ahead_ = false;
  state_ = State::reading;
  if (!keep_open_) end();
}

/// Something came, or the client's end, while its answer is awaited.
void HttpConnection::look_at_peer() {
  char byte = 0;
  const ssize_t got = recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  const bool nothing = got < 0 && (errno == EAGAIN || errno == EINTR);
  sent_ahead_ = got > 0;
  if (got <= 0 && !nothing) end();
}

/// The headers that every response has.
std::string HttpConnection::own_headers() const {
  ports::Clock* const clock = share_.options.clock;
  return cat(clock == nullptr ? "" : cat("Date: ", http_date(clock->wall()), "\r\n"),
             keep_open_ ? "" : "Connection: close\r\n");
}

std::string HttpConnection::encode(Exchange::Output& output) {
  if (output.response) {
    const HttpResponse& response = *output.response;
    std::string bytes =
        encode_head(response.status, response.headers,
                    cat("Content-Length: ", response.body.size(), "\r\n", own_headers()));
    if (!is_head_request_) bytes += response.body;
    return bytes;
  }
  std::string bytes;
  if (output.head) {
    keep_alive_ = std::move(output.head->keep_alive);
    bytes = encode_head(output.head->status, output.head->headers,
                        cat(http_1_0_ ? "" : "Transfer-Encoding: chunked\r\n", own_headers()));
  }
  if (http_1_0_) return bytes + output.bytes;
  if (!output.bytes.empty()) bytes += chunk_of(output.bytes);
  if (output.finished) bytes += "0\r\n\r\n";
  return bytes;
}

bool HttpConnection::flush() {
  ErrorCode error;
  while (written_ < output_.size() && !error) {
    const auto rest = asio::buffer(output_.data() + written_, output_.size() - written_);
    written_ += socket_.write_some(rest, error);
  }
  if (error == asio::error::would_block) {
    wait_writable();
    count_unsent(output_.size() - written_);
    shed_unsent();
    return false;
  }
  if (error) {
    end();
    return false;
  }
  output_ = {};
  written_ = 0;
  count_unsent(0);
  return true;
}

void HttpConnection::count_unsent(std::size_t bytes) {
  share_.unsent_bytes += bytes - std::exchange(unsent_bytes_, bytes);
}

/// When all slow clients together leave too much, those that took nothing for longest are ended.
void HttpConnection::shed_unsent() {
  while (share_.unsent_bytes > share_.options.unsent_bytes_max) {
    const auto slowest = std::ranges::min_element(share_.open, {}, [](const auto& each) {
      return std::pair(each->unsent_bytes_ == 0, each->deadline_);
    });
    std::shared_ptr<HttpConnection>(*slowest)->end();
  }
}

}  // namespace baton::transport
