#include "transport/stdio/serve.h"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <latch>

#include "base/text/text.h"
#include "transport/stdio/audience.h"
#include "transport/stdio/calls.h"
#include "transport/stdio/line_splitter.h"

namespace baton::transport {
namespace {

using Clock = std::chrono::steady_clock;

// A client that sends its next message within this time of the last answer is awaited awake: to
// sleep and be woken takes longer than that. One that thinks first costs nothing.
constexpr auto awake_max = std::chrono::microseconds(100);
// A client on another core has answered by then: until then the core is not given away, because
// to get it back costs as much as most calls take.
constexpr auto alert_max = std::chrono::microseconds(10);

class Reader {
 public:
  Reader(const protocol::Server& server, const StdioOptions& options, int out_fd,
         std::shared_ptr<Calls> calls)
      : server_(server),
        options_(options),
        out_fd_(out_fd),
        calls_(std::move(calls)),
        audience_(calls_->output(), options.principal) {
    if (options.hub == nullptr) return;
    changes_ =
        options.hub->subscribe([this](const protocol::Change& change) { audience_.tell(change); });
  }

  Result<ServeEnd> serve() {
    if (!calls_->begin_reading([this] { read(); })) {
      return fail(Code::ENVIRONMENT, "no thread can be started", "Raise its limit on threads.");
    }
    ended_.wait();
    return drain();
  }

 private:
  /// Until another thread reads on, or the end. All that the reader owns belongs to the one thread
  /// that reads.
  void read() {
    for (;;) {
      if (!answer_buffered()) return;
      if (input_ended_ && splitter_.buffered_bytes() == 0) break;
      if (!wait()) break;
    }
    ended_.count_down();
  }

  /// Takes what was read as far as there is room for calls. False: another thread reads on.
  bool answer_buffered() {
    // Nothing is begun whose answer would not be written.
    while (!calls_->output().broken() && calls_->room()) {
      const auto line = splitter_.next();
      if (!line) return true;
      if (line->oversized) {
        send(protocol::encode_oversized_message());
      } else if (line->text.find_first_not_of(" \t") != std::string_view::npos) {
        if (!answer(line->text)) return false;
      }
    }
    return true;
  }

  /// False: another thread reads on.
  bool answer(std::string_view text) {
    protocol::Step step = audience_.accept(server_, text);
    if (auto* const work = std::get_if<protocol::Work>(&step)) {
      return start(std::move(*work), text.size(), nullptr);
    }
    if (auto* const batch = std::get_if<protocol::Batch>(&step)) {
      answer_batch(*batch, text.size());
    } else if (auto* const listen = std::get_if<protocol::Listen>(&step)) {
      start(std::move(*listen));
    } else if (auto* const reply = std::get_if<protocol::Reply>(&step)) {
      send(std::move(reply->line));
    } else if (auto* const cancelled = std::get_if<protocol::Cancel>(&step)) {
      cancel(cancelled->id);
    } else if (auto* const answered = std::get_if<protocol::Answered>(&step)) {
      calls_->answered(std::move(answered->response));
    }
    return true;
  }

  void answer_batch(protocol::Batch& batch, std::size_t bytes) {
    const auto replies = std::make_shared<BatchReply>(calls_->output(), batch.steps.size());
    for (protocol::SingleStep& step : batch.steps) {
      if (auto* const work = std::get_if<protocol::Work>(&step)) {
        start(std::move(*work), bytes / batch.steps.size(), replies);
        continue;
      }
      if (auto* const cancelled = std::get_if<protocol::Cancel>(&step)) cancel(cancelled->id);
      if (auto* const answered = std::get_if<protocol::Answered>(&step)) {
        calls_->answered(std::move(answered->response));
      }
      if (auto* const reply = std::get_if<protocol::Reply>(&step)) {
        replies->give(reply->line);
      } else {
        replies->drop();
      }
    }
  }

  void cancel(const protocol::RequestId& id) {
    calls_->cancel(id);
    audience_.cancel(id);
  }

  /// False: another thread reads on.
  bool start(protocol::Work work, std::size_t bytes, std::shared_ptr<BatchReply> batch) {
    const protocol::RequestId id = work.id;
    const auto refuse = [&](protocol::RpcError error) {
      std::string line = protocol::encode_error(id, error);
      if (batch) {
        batch->give(line);
      } else {
        send(std::move(line));
      }
      return true;
    };
    if (audience_.listens(id)) return refuse(id_in_use());
    const bool here = work.quick || alone();
    switch (calls_->start(std::move(work), bytes, batch, here)) {
      case Calls::Start::started: return true;
      case Calls::Start::handed_on: return false;
      case Calls::Start::id_in_use: return refuse(id_in_use());
      case Calls::Start::no_thread: break;
    }
    return refuse({protocol::RpcCode::internal_error,
                   "The machine allows no more threads. Nothing was changed; try again later."});
  }

  /// Whether nothing else waits to be read.
  bool alone() const { return !splitter_.has_line() && !input_waits(); }

  void start(protocol::Listen listen) {
    const protocol::RequestId id = listen.id;
    if (calls_->in_flight(id)) return send(protocol::encode_error(id, id_in_use()));
    switch (audience_.listen(std::move(listen))) {
      case Audience::Start::started: return;
      case Audience::Start::id_in_use: return send(protocol::encode_error(id, id_in_use()));
      case Audience::Start::too_many:
        return send(protocol::encode_error(
            id, {protocol::RpcCode::internal_error,
                 cat("No more than ", limits::listens_max,
                     " subscriptions can be open at once. Cancel some first.")}));
    }
  }

  static protocol::RpcError id_in_use() {
    return {protocol::RpcCode::invalid_request, "A request with this id is still being answered."};
  }

  void send(std::string line) { calls_->output().write_line(std::move(line), nullptr); }

  /// Until there is something to do. False when it is time to end.
  bool wait() {
    calls_->output().flush();
    if (calls_->output().broken()) return false;
    const bool may_read = !input_ended_ && calls_->room();
    const Clock::time_point since = Clock::now();
    if (may_read && hurried_ && input_soon(since)) return read_chunk();
    // A full server still wants to know that its client is gone, but only once.
    const bool watch_input = may_read || (!input_ended_ && !hung_up_);
    const short wanted = may_read ? POLLIN : 0;
    pollfd watched[] = {{watch_input ? options_.in_fd : -1, wanted, 0},
                        {options_.stop_fd, POLLIN, 0},
                        {out_fd_, 0, 0},
                        {calls_->wake_fd(), POLLIN, 0}};
    const int ready = poll(watched, std::size(watched), deadline().remaining_ms());
    hurried_ = ready > 0 && Clock::now() - since < awake_max;
    if (ready < 0) return errno == EINTR;
    if (ready == 0) return false;  // only with a deadline
    if (watched[1].revents != 0 || watched[2].revents != 0) return false;
    if (watched[3].revents != 0) calls_->clear_wake();
    if (watched[0].revents == 0) return true;
    if (may_read) return read_chunk();
    hung_up_ = true;
    deadline().start();
    return true;
  }

  /// Whether something can be read within awake_max. Lets others run after alert_max, the client
  /// first of all: it may wait for this very core.
  bool input_soon(Clock::time_point since) const {
    for (;;) {
      if (input_waits()) return true;
      const auto waited = Clock::now() - since;
      if (waited >= awake_max) return false;
      if (waited >= alert_max) sched_yield();
    }
  }

  bool input_waits() const {
    pollfd input{options_.in_fd, POLLIN, 0};
    return poll(&input, 1, 0) != 0;
  }

  bool read_chunk() {
    const ssize_t got = ::read(options_.in_fd, chunk_.data(), chunk_.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) {
      input_ended_ = true;
      splitter_.end_input();
      deadline().start();
    } else {
      splitter_.feed({chunk_.data(), static_cast<std::size_t>(got)});
    }
    return true;
  }

  Deadline& deadline() { return calls_->output().deadline(); }

  ServeEnd drain() {
    deadline().start();
    changes_ = {};
    audience_.dismiss();
    calls_->hang_up();
    while (!calls_->idle()) {
      pollfd watched[] = {{calls_->wake_fd(), POLLIN, 0}, {out_fd_, 0, 0}};
      const int ready = poll(watched, std::size(watched), deadline().remaining_ms());
      const bool nobody_reads = ready > 0 && watched[1].revents != 0;
      if (ready == 0 || nobody_reads || (ready < 0 && errno != EINTR)) {
        if (calls_->idle()) break;
        calls_->abandon();
        return ServeEnd::calls_still_running;
      }
      calls_->clear_wake();
    }
    calls_->join();
    return ServeEnd::drained;
  }

  const protocol::Server& server_;
  const StdioOptions& options_;
  int out_fd_;
  std::shared_ptr<Calls> calls_;
  Audience audience_;
  Hub::Subscription changes_;
  LineSplitter splitter_{limits::message_bytes_max};
  std::array<char, 64u << 10> chunk_{};
  bool input_ended_ = false;
  bool hurried_ = false;  // the client sent the last message soon after an answer
  bool hung_up_ = false;  // the writer is gone, but there may be more to read
  std::latch ended_{1};   // nothing is read any more
};

}  // namespace

Result<ServeEnd> serve_stdio(const protocol::Server& server, const StdioOptions& options) {
  const int out_fd = options.out_fd == STDOUT_FILENO ? TRY(move_stdout_aside()) : options.out_fd;
  const int wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd < 0) {
    return fail(Code::ENVIRONMENT, cat("no event descriptor can be opened (errno ", errno, ")"),
                "Raise the limit on open files.");
  }
  auto calls = std::make_shared<Calls>(Output::Ends{.fd = out_fd,
                                                    .in_fd = options.in_fd,
                                                    .stop_fd = options.stop_fd,
                                                    .drain_ms = options.drain_ms},
                                       wake_fd, options.answer_ms);
  return std::make_unique<Reader>(server, options, out_fd, std::move(calls))->serve();
}

}  // namespace baton::transport
