#include "transport/stdio/serve.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>

#include "base/text.h"
#include "transport/stdio/calls.h"
#include "transport/stdio/line_splitter.h"

namespace baton::transport {
namespace {

using Clock = std::chrono::steady_clock;

class Reader {
 public:
  Reader(const protocol::Server& server, const StdioOptions& options, int out_fd,
         std::shared_ptr<Calls> calls)
      : server_(server), options_(options), out_fd_(out_fd), calls_(std::move(calls)) {
    connection_.principal = options.principal;
  }

  ServeEnd serve() {
    for (;;) {
      answer_buffered();
      if (input_ended_ && splitter_.buffered_bytes() == 0) break;
      if (!wait()) break;
    }
    return drain();
  }

 private:
  /// Takes what was read as far as there is room for calls.
  void answer_buffered() {
    while (calls_->room()) {
      const auto line = splitter_.next();
      if (!line) return;
      if (line->oversized) {
        send(protocol::encode_oversized_message());
      } else if (line->text.find_first_not_of(" \t") != std::string_view::npos) {
        answer(line->text);
      }
    }
  }

  void answer(std::string_view text) {
    protocol::Step step = server_.accept(text, connection_);
    if (auto* const reply = std::get_if<protocol::Reply>(&step)) {
      send(std::move(reply->line));
    } else if (auto* const cancel = std::get_if<protocol::Cancel>(&step)) {
      calls_->cancel(cancel->id);
    } else if (auto* const work = std::get_if<protocol::Work>(&step)) {
      start(std::move(*work), text.size());
    }
  }

  void start(protocol::Work work, std::size_t bytes) {
    const protocol::RequestId id = work.id;
    switch (calls_->start(std::move(work), bytes)) {
      case Calls::Start::started: return;
      case Calls::Start::id_in_use:
        send(protocol::encode_error(id, {protocol::RpcCode::invalid_request,
                                         "A request with this id is still being answered.",
                                         {}}));
        return;
      case Calls::Start::no_thread:
        send(protocol::encode_error(
            id, {protocol::RpcCode::internal_error,
                 "The machine allows no further thread. Nothing was changed; try again later.",
                 {}}));
        return;
    }
  }

  void send(std::string line) { calls_->output().write_line(std::move(line), nullptr); }

  /// Until there is something to do. False when it is time to end.
  bool wait() {
    const bool may_read = !input_ended_ && calls_->room();
    // A full server still wants to know that its client is gone, but only once.
    const bool watch_input = may_read || (!input_ended_ && !hung_up_);
    const short wanted = may_read ? POLLIN : 0;
    pollfd watched[] = {{watch_input ? options_.in_fd : -1, wanted, 0},
                        {options_.stop_fd, POLLIN, 0},
                        {out_fd_, 0, 0},
                        {calls_->wake_fd(), POLLIN, 0}};
    const int ready = poll(watched, std::size(watched), remaining_ms());
    if (ready < 0) return errno == EINTR;
    if (ready == 0) return false;  // only with a deadline
    if (watched[1].revents != 0 || watched[2].revents != 0) return false;
    if (watched[3].revents != 0) calls_->clear_wake();
    if (watched[0].revents == 0) return true;
    if (may_read) return read_chunk();
    hung_up_ = true;
    start_deadline();
    return true;
  }

  bool read_chunk() {
    const ssize_t got = read(options_.in_fd, chunk_.data(), chunk_.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) {
      input_ended_ = true;
      splitter_.end_input();
      start_deadline();
    } else {
      splitter_.feed({chunk_.data(), static_cast<std::size_t>(got)});
    }
    return true;
  }

  void start_deadline() {
    if (!deadline_) deadline_ = Clock::now() + std::chrono::milliseconds(options_.drain_ms);
  }

  /// For poll: -1 while there is no deadline.
  int remaining_ms() const {
    if (!deadline_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(0, left.count()));
  }

  ServeEnd drain() {
    start_deadline();
    while (!calls_->idle()) {
      pollfd watched[] = {{calls_->wake_fd(), POLLIN, 0}, {out_fd_, 0, 0}};
      const int ready = poll(watched, std::size(watched), remaining_ms());
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
  protocol::Connection connection_;
  LineSplitter splitter_{limits::message_bytes_max};
  std::array<char, 64u << 10> chunk_{};
  bool input_ended_ = false;
  bool hung_up_ = false;  // the writer is gone, but there may be more to read
  std::optional<Clock::time_point> deadline_;
};

}  // namespace

Result<ServeEnd> serve_stdio(const protocol::Server& server, const StdioOptions& options) {
  const int out_fd = options.out_fd == STDOUT_FILENO ? TRY(move_stdout_aside()) : options.out_fd;
  const int wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd < 0) {
    return fail(Code::ENVIRONMENT, cat("no event descriptor can be opened (errno ", errno, ")"),
                "Raise the limit on open files.");
  }
  auto calls = std::make_shared<Calls>(out_fd, options.stop_fd, wake_fd);
  return std::make_unique<Reader>(server, options, out_fd, std::move(calls))->serve();
}

}  // namespace baton::transport
