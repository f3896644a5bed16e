#include "transport/stdio/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/limits.h"

namespace baton::transport {

void Turn::lock() {
  std::unique_lock lock(mutex_);
  given_back_.wait(lock, [this] { return !taken_; });
  taken_ = true;
}

bool Turn::try_lock_for(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (!given_back_.wait_for(lock, patience, [this] { return !taken_; })) return false;
  taken_ = true;
  return true;
}

void Turn::unlock() {
  {
    const std::lock_guard lock(mutex_);
    taken_ = false;
  }
  given_back_.notify_one();
}

Output::Output(int fd, int stop_fd) : fd_(fd), stop_fd_(stop_fd) {
  const int bytes = fcntl(fd, F_GETPIPE_SZ);
  pipe_bytes_ = bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void Output::write_line(std::string line, const std::atomic<bool>* cancelled) {
  line += '\n';
  const std::lock_guard lock(turn_);
  if (broken_.load() || (cancelled != nullptr && cancelled->load())) return;
  if (!held_.empty()) {
    held_ += line;
    write_held();
  } else if (!write_all(line)) {
    broken_.store(true);
  }
}

void Output::hold_line(std::string_view line, const std::atomic<bool>* cancelled) {
  const std::lock_guard lock(turn_);
  if (broken_.load() || (cancelled != nullptr && cancelled->load())) return;
  held_ += line;
  held_ += '\n';
  if (held_.size() >= limits::held_output_bytes_max) write_held();
}

void Output::flush() {
  const std::lock_guard lock(turn_);
  if (!held_.empty() && !broken_.load()) write_held();
}

void Output::write_held() {
  if (!write_all(held_)) broken_.store(true);
  held_.clear();
}

void Output::end() {
  constexpr auto patience = std::chrono::milliseconds(50);
  broken_.store(true);
  if (turn_.try_lock_for(patience)) turn_.unlock();
}

bool Output::wait_writable() const {
  for (;;) {
    pollfd watched[] = {{fd_, POLLOUT, 0}, {stop_fd_, POLLIN, 0}};
    if (poll(watched, std::size(watched), -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if ((watched[0].revents & POLLOUT) != 0) return true;
    if (watched[0].revents != 0 || watched[1].revents != 0) return false;
  }
}

/// How much can be written without blocking; 0 when that is not known. Nobody else writes here, so
/// an empty pipe stays empty until we do: an answer goes out in one call and wakes its reader once.
std::size_t Output::room() const {
  int unread = 0;
  if (pipe_bytes_ == 0 || ioctl(fd_, FIONREAD, &unread) != 0 || unread != 0) return 0;
  return pipe_bytes_;
}

bool Output::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    if (broken_.load()) return false;
    std::size_t room_bytes = room();
    if (room_bytes == 0) {
      if (!wait_writable()) return false;
      // A pipe that is writable takes PIPE_BUF bytes without blocking, and no more for certain.
      room_bytes = PIPE_BUF;
    }
    const std::size_t piece = std::min(bytes.size(), room_bytes);
    const ssize_t written = write(fd_, bytes.data(), piece);
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace baton::transport
