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
#include "transport/scheduler/call_scheduler.h"
#include "transport/stdio/line_splitter.h"
#include "transport/stdio/stdio_call.h"
#include "transport/stdio/stdio_client.h"

namespace baton::transport {
namespace {

using Clock = std::chrono::steady_clock;

// A client that sends its next message within this time of the last answer is awaited awake: to
// sleep and be woken takes longer than that. One that thinks first costs nothing.
constexpr auto awake_max = std::chrono::microseconds(100);
// A client on another core has answered by then: until then the core is not given away, because
// to get it back costs as much as most calls take.
constexpr auto alert_max = std::chrono::microseconds(10);

/// Interrupts poll() from another thread. Shared with threads that may be left behind.
class WakeEvent {
 public:
  static Result<std::shared_ptr<WakeEvent>> make() {
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd >= 0) return std::make_shared<WakeEvent>(fd);
    return fail(Code::ENVIRONMENT, cat("no event descriptor can be opened (errno ", errno, ")"),
                "Raise the limit on open files.");
  }
  explicit WakeEvent(int fd) : fd_(fd) {}
  ~WakeEvent() { close(fd_); }
  WakeEvent(const WakeEvent&) = delete;
  WakeEvent& operator=(const WakeEvent&) = delete;

  int fd() const { return fd_; }
  void set() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t put = write(fd_, &one, sizeof one);
  }
  void clear() const {
    std::uint64_t count = 0;
    // Not blocking: the descriptor was opened so, and nothing to read is fine.
    [[maybe_unused]] const ssize_t got = read(fd_, &count, sizeof count);
  }

 private:
  const int fd_;
};

constexpr std::size_t calls_max = limits::calls_in_flight_max + limits::read_ahead_calls_max;

class Reader {
 public:
  Reader(const protocol::Server& server, const StdioOptions& options, int out_fd,
         std::shared_ptr<WakeEvent> wake)
      : server_(server),
        options_(options),
        out_fd_(out_fd),
        wake_(std::move(wake)),
        output_(std::make_shared<Output>(Output::Ends{.fd = out_fd,
                                                      .in_fd = options.in_fd,
                                                      .stop_fd = options.stop_fd,
                                                      .drain_ms = options.drain_ms})),
        scheduler_(std::make_shared<CallScheduler>(
            CallScheduler::Bounds{.threads_max = limits::workers_max + 1,  // one reads
                                  .aside_max = calls_max - limits::workers_max,
                                  .calls_max = calls_max,
                                  .bytes_max = limits::unfinished_call_bytes_max,
                                  .answer_ms = options.answer_ms})),
        number_(scheduler_->add_client()),
        client_(*output_, options.principal) {
    if (options.hub == nullptr) return;
    changes_ =
        options.hub->subscribe([this](const protocol::Change& change) { client_.tell(change); });
  }

  Result<ServeEnd> serve() {
    // The thread that takes the reading over, or hands it on, sends what was written first.
    const auto read_on = [this, output = output_] {
      output->flush();
      read();
      output->flush();
    };
    if (!scheduler_->begin_reading({read_on, [wake = wake_] { wake->set(); }})) {
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
    while (!output_->broken() && scheduler_->room()) {
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
    protocol::Action action = client_.accept(server_, text);
    if (auto* const work = std::get_if<protocol::Work>(&action)) {
      return start(std::move(*work), text.size(), nullptr);
    }
    if (auto* const batch = std::get_if<protocol::Batch>(&action)) {
      answer_batch(*batch, text.size());
    } else if (auto* const listen = std::get_if<protocol::Listen>(&action)) {
      start(std::move(*listen));
    } else if (auto* const reply = std::get_if<protocol::WireReply>(&action)) {
      send(std::move(reply->line));
    } else if (auto* const cancelled = std::get_if<protocol::Cancel>(&action)) {
      cancel(cancelled->id);
    } else if (auto* const answered = std::get_if<protocol::Answered>(&action)) {
      scheduler_->answered(number_, std::move(answered->response));
    }
    return true;
  }

  void answer_batch(protocol::Batch& batch, std::size_t bytes) {
    const auto replies = std::make_shared<BatchReply>(output_, batch.actions.size());
    for (protocol::SingleAction& action : batch.actions) {
      if (auto* const work = std::get_if<protocol::Work>(&action)) {
        start(std::move(*work), bytes / batch.actions.size(), replies);
        continue;
      }
      if (auto* const cancelled = std::get_if<protocol::Cancel>(&action)) cancel(cancelled->id);
      if (auto* const answered = std::get_if<protocol::Answered>(&action)) {
        scheduler_->answered(number_, std::move(answered->response));
      }
      if (auto* const reply = std::get_if<protocol::WireReply>(&action)) {
        replies->give(reply->line);
      } else {
        replies->drop();
      }
    }
  }

  void cancel(const protocol::RequestId& id) {
    scheduler_->cancel({number_, id});
    client_.cancel(id);
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
    if (client_.listens(id)) return refuse(id_in_use());
    // Calls of a batch are never handed on: the reader has the others of it still in hand.
    using Where = CallScheduler::Where;
    const Where where = batch                   ? Where::worker
                        : work.quick || alone() ? Where::reader
                                                : Where::new_reader;
    switch (scheduler_->start(
        std::make_shared<StdioCall>(*scheduler_, number_, std::move(work), bytes, output_, batch),
        where)) {
      case CallScheduler::Start::started: return true;
      case CallScheduler::Start::handed_on: return false;
      case CallScheduler::Start::id_in_use: return refuse(id_in_use());
      case CallScheduler::Start::no_thread: break;
    }
    return refuse({protocol::RpcCode::internal_error,
                   "The machine allows no more threads. Nothing was changed; try again later."});
  }

  /// Whether nothing else waits to be read.
  bool alone() const { return !splitter_.has_line() && !input_waits(); }

  void start(protocol::Listen listen) {
    const protocol::RequestId id = listen.id;
    if (scheduler_->in_flight({number_, id})) return send(protocol::encode_error(id, id_in_use()));
    switch (client_.listen(std::move(listen))) {
      case StdioClient::Start::started: return;
      case StdioClient::Start::id_in_use: return send(protocol::encode_error(id, id_in_use()));
      case StdioClient::Start::too_many:
        return send(protocol::encode_error(
            id, {protocol::RpcCode::internal_error,
                 cat("No more than ", limits::listens_max,
                     " subscriptions can be open at once. Cancel some first.")}));
    }
  }

  void send(std::string line) { output_->write_line(std::move(line), nullptr); }

  /// Until there is something to do. False when it is time to end.
  bool wait() {
    output_->flush();
    if (output_->broken()) return false;
    const bool may_read = !input_ended_ && scheduler_->room();
    const Clock::time_point since = Clock::now();
    if (may_read && hurried_ && input_soon(since)) return read_chunk();
    // A full server still wants to know that its client is gone, but only once.
    const bool watch_input = may_read || (!input_ended_ && !hung_up_);
    const short wanted = may_read ? POLLIN : 0;
    pollfd watched[] = {{watch_input ? options_.in_fd : -1, wanted, 0},
                        {options_.stop_fd, POLLIN, 0},
                        {out_fd_, 0, 0},
                        {wake_->fd(), POLLIN, 0}};
    const int ready = poll(watched, std::size(watched), deadline().remaining_ms());
    hurried_ = ready > 0 && Clock::now() - since < awake_max;
    if (ready < 0) return errno == EINTR;
    if (ready == 0) return false;  // only with a deadline
    if (watched[1].revents != 0 || watched[2].revents != 0) return false;
    if (watched[3].revents != 0) wake_->clear();
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

  ShutdownDeadline& deadline() { return output_->deadline(); }

  ServeEnd drain() {
    deadline().start();
    changes_ = {};
    client_.dismiss();
    scheduler_->hang_up();
    scheduler_->end_tasks();
    while (!scheduler_->idle()) {
      pollfd watched[] = {{wake_->fd(), POLLIN, 0}, {out_fd_, 0, 0}};
      const int ready = poll(watched, std::size(watched), deadline().remaining_ms());
      const bool nobody_reads = ready > 0 && watched[1].revents != 0;
      if (ready == 0 || nobody_reads || (ready < 0 && errno != EINTR)) {
        break;
      }
      wake_->clear();
    }
    // Nothing is written by calls that are left behind.
    const bool is_idle = scheduler_->idle();
    if (!is_idle) output_->end();
    // One that ends only now was left behind too: its answer was not written.
    const bool is_joined = scheduler_->finish(0);
    return is_idle && is_joined ? ServeEnd::drained : ServeEnd::calls_still_running;
  }

  const protocol::Server& server_;
  const StdioOptions& options_;
  int out_fd_;
  std::shared_ptr<WakeEvent> wake_;
  std::shared_ptr<Output> output_;
  std::shared_ptr<CallScheduler> scheduler_;
  std::uint64_t number_;  // of the client, for the scheduler
  StdioClient client_;
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
  auto wake = TRY(WakeEvent::make());
  return std::make_unique<Reader>(server, options, out_fd, std::move(wake))->serve();
}

}  // namespace baton::transport
