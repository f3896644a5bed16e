// What stdio serving does to the process: standard output and signals.

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "base/text/text.h"
#include "transport/stdio/serve.h"

namespace baton::transport {
namespace {

// A signal handler can reach only what is static. -1: not installed.
std::atomic<int> stop_write_fd = -1;
static_assert(std::atomic<int>::is_always_lock_free);

struct Previous {
  struct sigaction term, interrupt, pipe;
} previous;

extern "C" void note_stop(int) {
  const int saved = errno;
  // A full pipe already says stop.
  [[maybe_unused]] const ssize_t put = write(stop_write_fd.load(), "!", 1);
  errno = saved;
}

/// Opens the pipe behind `fd` once more, so that writing never blocks, and lets `fd` mean that.
/// Others that hold the first one still block. Nothing happens when it cannot be done.
void stop_blocking(int fd) {
  struct stat info{};
  if (fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode)) return;
  const int own = open(cat("/proc/self/fd/", fd).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (own < 0) return;
  dup3(own, fd, O_CLOEXEC);
  close(own);
}

}  // namespace

Result<int> move_stdout_aside() {
  const int aside = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (aside < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    const int reason = errno;
    if (aside >= 0) close(aside);
    return fail(Code::ENVIRONMENT,
                cat("standard output or standard error is not open (errno ", reason, ")"),
                "Start baton with both connected; standard error may be /dev/null.");
  }
  stop_blocking(aside);
  return aside;
}

Result<StopSignals> StopSignals::install() {
  ASSERT(stop_write_fd.load() < 0);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
    return fail(Code::ENVIRONMENT, cat("no pipe can be opened (errno ", errno, ")"),
                "Raise the limit on open files.");
  }
  stop_write_fd.store(ends[1]);
  struct sigaction action{};
  action.sa_handler = note_stop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, &previous.term);
  sigaction(SIGINT, &action, &previous.interrupt);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &previous.pipe);
  return StopSignals(ends[0]);
}

StopSignals::StopSignals(StopSignals&& other) noexcept
    : read_fd_(std::exchange(other.read_fd_, -1)) {}

StopSignals::~StopSignals() {
  if (read_fd_ < 0) return;
  sigaction(SIGTERM, &previous.term, nullptr);
  sigaction(SIGINT, &previous.interrupt, nullptr);
  sigaction(SIGPIPE, &previous.pipe, nullptr);
  close(stop_write_fd.exchange(-1));
  close(read_fd_);
}

}  // namespace baton::transport
