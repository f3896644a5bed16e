#pragma once
// Session: what one legacy client settled by initialize, its streams with the events to replay, the
// calls in flight and the requests of ours that it has not answered. Any thread.
//
// Each message goes to exactly one stream. A stream outlives the HTTP exchange that carries it:
// when the client is gone, its events wait for a resume, as far as limits::http_replay_bytes_max
// allows. Stream 0 is the one that GET opens, for what belongs to no call.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "protocol/server.h"
#include "transport/http/exchange.h"
#include "transport/http/sse.h"

namespace baton::transport {

/// What can be told to stop: a call in flight.
class Cancellable {
 public:
  virtual ~Cancellable() = default;
  virtual void cancel() = 0;
};

/// The head of every event stream.
StreamHead sse_head();

class Session {
 public:
  Session(std::string id, std::string principal);

  const std::string& id() const { return id_; }
  const std::string& principal() const { return principal_; }

  /// Decodes one message in the light of what was settled before.
  protocol::Step accept(const protocol::Server& server, protocol::Incoming message,
                        const protocol::Headers& headers);

  /// Whether initialize succeeded.
  bool initialized() const;

  // --- Calls ---

  /// False when a call with this id is in flight already.
  bool begin_call(const protocol::RequestId& id, std::weak_ptr<Cancellable> call);
  void end_call(const protocol::RequestId& id);
  void cancel_call(const protocol::RequestId& id);

  // --- Streams ---

  /// Starts an event stream on `exchange`, with a priming event where the revision knows it.
  std::uint64_t open_stream(std::shared_ptr<Exchange> exchange);
  void send(std::uint64_t stream, std::string_view line);
  /// No event follows. What was sent can still be replayed.
  void finish(std::uint64_t stream);
  /// Ends the exchange that carries the stream, but not the stream, where the revision lets a
  /// client reconnect for its answer; elsewhere nothing.
  void close_exchange(std::uint64_t stream);

  /// The stream of what belongs to no call; a former one is ended.
  void open_standalone(std::shared_ptr<Exchange> exchange);

  /// Replays what came after `last` on its stream, and continues it. False when the session has
  /// no such stream, or the stream no such event; then `exchange` is untouched.
  bool resume(EventId last, const std::shared_ptr<Exchange>& exchange);

  /// Tells the client of a change, if it wants to know.
  void notify(const protocol::Change& change);

  // --- Requests of ours ---

  /// Sends one on `stream` and waits for the answer; an error after limits::client_answer_ms_max,
  /// and when `cancelled` is true at a wake(). Then the client is told that the call has ended.
  std::expected<json::Value, protocol::RpcError> ask(std::uint64_t stream, std::string_view method,
                                                     json::Object params,
                                                     const std::function<bool()>& cancelled);
  void answered(protocol::Response response);
  /// Lets ask() look again whether its call is cancelled.
  void wake();

  /// The server ends: no client can answer any more, so ask() continues without, and the stream of
  /// what belongs to no call is closed.
  void hang_up();

  /// Cancels the calls and ends the streams; nothing is accepted afterwards.
  void end();

  /// Whether something of it is still under way: a call, or a stream with a reader.
  bool busy() const;

 private:
  struct Event {
    std::uint64_t number;
    std::string line;
  };
  struct Stream {
    std::shared_ptr<Exchange> exchange = {};
    std::uint64_t last = 0;     // number of the last event; 0 is the priming one
    std::uint64_t dropped = 0;  // events up to this are no longer there
    std::deque<Event> events = {};
    bool finished = false;
  };

  // REQUIRES: mutex_ is held.
  bool primes() const { return connection_.legacy_version >= protocol::Version::v2025_11_25; }
  void end_exchange(Stream& stream);
  void start(Stream& stream, std::uint64_t number, std::shared_ptr<Exchange> exchange);
  void append(Stream& stream, std::uint64_t number, std::string_view line);
  void make_room();

  const std::string id_;
  const std::string principal_;
  mutable std::mutex mutex_;
  std::condition_variable news_;
  protocol::Connection connection_;
  std::map<protocol::RequestId, std::weak_ptr<Cancellable>> calls_;
  std::map<std::uint64_t, Stream> streams_;
  std::uint64_t streams_opened_ = 0;
  std::size_t replay_bytes_ = 0;
  std::int64_t asked_ = 0;
  std::map<protocol::RequestId, std::optional<protocol::Response>> asks_;
  bool deaf_ = false;
  bool ended_ = false;
};

}  // namespace baton::transport
