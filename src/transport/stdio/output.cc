#include "transport/stdio/output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string_view>

namespace baton::transport {

void Output::write_line(std::string line, const std::atomic<bool>* cancelled) {
  line += '\n';
  const std::lock_guard lock(turn_);
  if (broken_.load() || (cancelled != nullptr && cancelled->load())) return;
  if (!write_all(line)) broken_.store(true);
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

bool Output::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    if (!wait_writable()) return false;
    // A pipe that is writable takes PIPE_BUF bytes without blocking, and no more for certain.
    const std::size_t piece = std::min<std::size_t>(bytes.size(), PIPE_BUF);
    const ssize_t written = write(fd_, bytes.data(), piece);
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace baton::transport
