#pragma once
// Exchange: the server's end of one request, from the handler's call until the answer is written or
// the client is gone. Every function may be called from any thread, also after the server is gone:
// then they do nothing.
//
// An answer is either respond() once, or start_stream(), any number of write(), finish(). One
// that is dropped before is answered with 500, and its stream is cut.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/core/thread_safety.h"
#include "transport/http/message.h"

namespace baton::transport {

struct StreamHead {
  int status = 200;
  std::vector<HttpHeader> headers = {};
  std::string keep_alive = {};  // sent when the stream was quiet for long; empty for nothing
};

class Exchange {
 public:
  explicit Exchange(std::size_t backlog_bytes_max) : backlog_bytes_max_(backlog_bytes_max) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void respond(HttpResponse response);
  void start_stream(StreamHead head);

  /// False when the bytes will not reach the client: it left, or it reads so slowly that the
  /// backlog is full, in which case its connection is closed.
  bool write(std::string_view bytes);
  void finish();

  bool closed() const;

  /// Calls `callback` once, on the io thread (or here, when it has happened already), when the
  /// client is gone before the answer was finished. Not called after finish().
  void on_closed(std::function<void()> callback);

 private:
  friend class HttpConnection;

  /// The connection's side.
  struct Output {
    std::optional<HttpResponse> response = {};
    std::optional<StreamHead> head = {};
    std::string bytes = {};
    bool finished = false;
    bool cut = false;  // the stream cannot continue: close the connection
    bool empty() const { return !response && !head && bytes.empty() && !finished && !cut; }
  };
  /// What a handler is given: dropping it without an answer is an answer too.
  static std::shared_ptr<Exchange> handle(const std::shared_ptr<Exchange>& exchange);
  void drop();
  /// `wake` is called when there is something new to take; never after close().
  void attach(std::function<void()> wake);
  Output take();
  /// Adds a sign of life to a stream that has nothing else to write.
  void keep_alive(std::string_view bytes);
  void close();

  const std::size_t backlog_bytes_max_;
  mutable Mutex mutex_;
  Output output_ GUARDED_BY(mutex_);
  std::function<void()> wake_ GUARDED_BY(mutex_);
  std::function<void()> on_closed_ GUARDED_BY(mutex_);
  bool answered_ GUARDED_BY(mutex_) = false;  // responded, or the stream was started
  bool finished_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace baton::transport
