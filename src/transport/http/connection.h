#pragma once
// Connection: one client socket from accept to close. Private to the HTTP server; knows Asio.
//
// Everything runs on the io thread. A connection is a small state machine that waits for its socket
// by callbacks: 1,000 quiet streams must cost little, and g++ 12 miscompiles coroutines that start
// coroutines. One that waits holds no buffers: bytes are read into one scratch buffer that all
// connections share, because nothing is kept in it across a wait.

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <list>
#include <memory>

#include "transport/http/exchange.h"
#include "transport/http/guard.h"
#include "transport/http/head_budget.h"
#include "transport/http/http_options.h"
#include "transport/http/request_reader.h"

namespace baton::transport {

using Socket = boost::asio::generic::stream_protocol::socket;
using MonoTime = std::chrono::steady_clock::time_point;

class HttpConnection;

/// What the connections of one server share.
struct ConnectionShare {
  HttpOptions options;
  Guard guard;
  std::vector<HttpRoute> routes;
  boost::asio::io_context io{1};
  std::array<char, 64u << 10> scratch{};
  HeadBudget heads{options.heads_bytes_max, options.peer_heads_bytes_max};
  std::size_t unread_bodies_bytes = 0;  // and of requests sent ahead
  std::size_t unsent_bytes = 0;         // of answers whose clients do not take them
  bool stopping = false;
  std::list<std::shared_ptr<HttpConnection>> open =
      {};                                // those that wait in the order they began to
  std::function<void()> closed = [] {};  // after each removal from `open`
};

class HttpConnection final : public std::enable_shared_from_this<HttpConnection>,
                             private HeadBudget::Sender {
 public:
  /// `peer` is who its unfinished heads are counted for.
  HttpConnection(ConnectionShare& share, Socket socket, std::string peer);

  /// Serves requests until the connection ends, then takes it out of `share.open`.
  void start(std::list<std::shared_ptr<HttpConnection>>::iterator place);

  /// Whether a request is being answered, as opposed to awaited.
  bool is_busy() const { return state_ == State::answering; }

  /// Whether no request on it was ever let in.
  bool is_stranger() const { return !is_admitted_; }

  /// Ends it at once, in every state.
  void end();

  /// Ends it as soon as the answer under way is written.
  void close_when_idle();

  /// Time passes: enforces deadlines and keeps quiet streams alive.
  void tick(MonoTime now);

 private:
  enum class State : std::uint8_t { reading, answering, refusing, lingering, ended };
  enum class Step : std::uint8_t { go_on, wait };

  // One step of each state; run() takes them until something is to be waited for.
  void run();
  Step step();
  Step read_step();
  Step answer_step();
  Step refuse_step();

  void receive();
  void head_came();
  std::optional<HttpResponse> problem_of(const HttpRequest& head) const;
  void give_up_head() override;
  void refuse(HttpResponse response);
  void dispatch();
  void answered();
  void look_at_peer();
  void timed_out();

  std::string own_headers() const;
  std::string encode(Exchange::Output& output);
  /// Whether all output is written. If not, writing continues by itself or the connection ended.
  bool flush();
  /// False when it and all others' are more than is kept.
  bool count_body(std::size_t bytes);
  void count_unsent(std::size_t bytes);
  void shed_unsent();
  void wait_readable();
  void wait_writable();
  void set_deadline(std::int64_t ms);

  ConnectionShare& share_;
  Socket socket_;
  State state_ = State::reading;
  RequestReader::Stage stage_ = RequestReader::Stage::head;
  bool awaits_input_ = false;   // a wait for the socket is under way
  bool awaits_output_ = false;  // the same for writing
  bool sent_ahead_ = false;     // the client sent more than the request being answered
  bool is_admitted_ = false;
  bool is_head_kept_ = false;  // in share_.heads
  bool is_head_request_ = false;
  bool http_1_0_ = false;
  bool keep_open_ = true;
  bool finished_ = false;  // the answer ends with what is in output_
  std::unique_ptr<RequestReader> reader_;
  std::string rest_;  // read beyond the last request
  std::string output_;
  std::size_t written_ = 0;  // of output_
  std::shared_ptr<Exchange> exchange_;
  MonoTime deadline_ = MonoTime::max();
  MonoTime quiet_since_ = MonoTime::max();  // of a stream
  std::string keep_alive_;                  // empty when there is no such stream
  std::size_t body_bytes_ = 0;              // of share_.unread_bodies_bytes
  std::size_t unsent_bytes_ = 0;            // of share_.unsent_bytes
  const std::string peer_;
  std::list<std::shared_ptr<HttpConnection>>::iterator place_;
};

}  // namespace baton::transport
