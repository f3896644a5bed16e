#pragma once
// HttpSession: what one legacy client settled by initialize, and its streams with the events to
// replay. Any thread.
//
// Each message goes to exactly one stream. A stream outlives the HTTP exchange that carries it:
// when the client is gone, its events wait for a resume, as far as limits::http_replay_bytes_max
// allows. Stream 0 is the one that GET opens, for what belongs to no call.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "base/core/thread_safety.h"
#include "protocol/server.h"
#include "transport/http/exchange.h"
#include "transport/http/sse.h"

namespace baton::transport {

/// The head of every event stream.
StreamHead sse_head();

class HttpSession {
 public:
  /// `client` is its number for the scheduler of its calls.
  HttpSession(std::string id, std::string principal, std::uint64_t client);

  const std::string& id() const { return id_; }
  const std::string& principal() const { return principal_; }
  std::uint64_t client() const { return client_; }

  /// Decodes one message in the light of what was settled before.
  protocol::Action accept(const protocol::Server& server, protocol::Incoming message,
                          const protocol::Headers& headers);

  /// Whether initialize succeeded.
  bool initialized() const;

  /// Starts an event stream on `exchange`, with a priming event where the revision knows it.
  std::uint64_t open_stream(std::shared_ptr<Exchange> exchange);
  /// False when there is no such stream any more.
  bool send(std::uint64_t stream, std::string_view line);
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

  /// The server ends: the stream of what belongs to no call is closed.
  void hang_up();

  /// Ends the streams; nothing is sent afterwards.
  void end();

  /// Whether a client reads one of its streams.
  bool has_reader() const;

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

  bool primes() const REQUIRES(mutex_) {
    return connection_.legacy_version >= protocol::Version::v2025_11_25;
  }
  void end_exchange(Stream& stream) REQUIRES(mutex_);
  void start(Stream& stream, std::uint64_t number, std::shared_ptr<Exchange> exchange)
      REQUIRES(mutex_);
  void append(Stream& stream, std::uint64_t number, std::string_view line) REQUIRES(mutex_);
  void make_room() REQUIRES(mutex_);

  const std::string id_;
  const std::string principal_;
  const std::uint64_t client_;
  mutable Mutex mutex_;
  protocol::ClientState connection_ GUARDED_BY(mutex_);
  std::map<std::uint64_t, Stream> streams_ GUARDED_BY(mutex_);
  std::uint64_t streams_opened_ GUARDED_BY(mutex_) = 0;
  std::size_t replay_bytes_ GUARDED_BY(mutex_) = 0;
  bool ended_ GUARDED_BY(mutex_) = false;
};

}  // namespace baton::transport
