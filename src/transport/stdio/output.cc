#include "transport/stdio/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/text/printable.h"

namespace baton::transport {

void TimedMutex::lock() {
  const MutexLock lock(mutex_);
  while (taken_) given_back_.wait(mutex_);
  taken_ = true;
}

bool TimedMutex::try_lock_for(std::chrono::milliseconds wait) {
  const MutexLock lock(mutex_);
  const auto is_free = [this]() REQUIRES(mutex_) { return !taken_; };
  if (!given_back_.wait_for(mutex_, wait, is_free)) return false;
  taken_ = true;
  return true;
}

void TimedMutex::unlock() {
  {
    const MutexLock lock(mutex_);
    taken_ = false;
  }
  given_back_.notify_one();
}

void ShutdownDeadline::start() {
  const auto at = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms_);
  Ticks before = never;
  at_.compare_exchange_strong(before, at.time_since_epoch().count());
}

int ShutdownDeadline::remaining_ms() const {
  const Ticks at = at_.load();
  if (at == never) return -1;
  const auto left = std::chrono::steady_clock::time_point(std::chrono::steady_clock::duration(at)) -
                    std::chrono::steady_clock::now();
  return static_cast<int>(
      std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count()));
}

Output::Output(const Ends& ends)
    : fd_(ends.fd), in_fd_(ends.in_fd), stop_fd_(ends.stop_fd), deadline_(ends.drain_ms) {
  is_terminal_ = isatty(fd_) == 1;
  struct stat info{};
  is_socket_ = fstat(fd_, &info) == 0 && S_ISSOCK(info.st_mode);
  never_blocks_ = is_socket_ || (fcntl(fd_, F_GETFL) & O_NONBLOCK) != 0;
  const int bytes = fcntl(fd_, F_GETPIPE_SZ);
  pipe_bytes_ = bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void Output::write_line(std::string line, const std::atomic<bool>* cancelled) {
  line += '\n';
  const MutexLock lock(mutex_);
  if (broken_.load() || (cancelled != nullptr && cancelled->load())) return;
  if (!held_.empty()) {
    held_ += line;
    write_held();
  } else if (!write_all(line)) {
    broken_.store(true);
  }
}

void Output::hold_line(std::string_view line, const std::atomic<bool>* cancelled) {
  const MutexLock lock(mutex_);
  if (broken_.load() || (cancelled != nullptr && cancelled->load())) return;
  held_ += line;
  held_ += '\n';
  if (held_.size() >= limits::held_output_bytes_max) write_held();
}

void Output::flush() {
  const MutexLock lock(mutex_);
  if (!held_.empty() && !broken_.load()) write_held();
}

void Output::write_held() {
  if (!write_all(held_)) broken_.store(true);
  held_.clear();
}

void Output::end() {
  constexpr auto wait = std::chrono::milliseconds(50);
  broken_.store(true);
  if (mutex_.try_lock_for(wait)) mutex_.unlock();
}

bool Output::wait_writable() {
  // Looks again in time for a deadline that another thread starts.
  const int wait = static_cast<int>(std::clamp<std::int64_t>(deadline_.ms(), 1, INT_MAX));
  for (;;) {
    const int left = deadline_.remaining_ms();
    pollfd watched[] = {
        {fd_, POLLOUT, 0}, {stop_fd_, POLLIN, 0}, {left < 0 ? in_fd_ : -1, POLLRDHUP, 0}};
    const int ready = poll(watched, std::size(watched), left < 0 ? wait : left);
    if (ready < 0 && errno != EINTR) return false;
    if (ready < 0) continue;
    if ((watched[0].revents & POLLOUT) != 0) return true;
    if (watched[0].revents != 0 || watched[1].revents != 0) return false;
    if (watched[2].revents != 0) deadline_.start();
    if (ready == 0 && left >= 0) return false;
  }
}

/// How much can be written without blocking; 0 when that is unknown. No other code writes here, so
/// an empty pipe stays empty until we do: an answer goes out in one call and wakes its reader once.
/// For descriptors that block, which cannot see a client that makes its pipe smaller.
std::size_t Output::room() const {
  int unread = 0;
  if (pipe_bytes_ == 0 || ioctl(fd_, FIONREAD, &unread) != 0 || unread != 0) return 0;
  return pipe_bytes_;
}

bool Output::write_all(std::string_view message) {
  // Messages are JSON, so that a terminal is given others of the same value.
  const std::string shown = is_terminal_ ? printable(message) : std::string();
  std::string_view bytes = is_terminal_ ? std::string_view(shown) : message;
  while (!bytes.empty()) {
    if (broken_.load()) return false;
    std::size_t room_bytes = never_blocks_ ? bytes.size() : room();
    if (room_bytes == 0) {
      if (!wait_writable()) return false;
      // A pipe that is writable takes PIPE_BUF bytes without blocking, and no more for certain.
      room_bytes = PIPE_BUF;
    }
    const ssize_t written = put(bytes.substr(0, room_bytes));
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    if (written >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN || (never_blocks_ && !wait_writable())) return false;
  }
  return true;
}

ssize_t Output::put(std::string_view bytes) const {
  if (!is_socket_) return write(fd_, bytes.data(), bytes.size());
  return send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace baton::transport
