#include "adapters/store/sqlite/file_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace baton::adapters::sqlite {
namespace {

constexpr auto poll = std::chrono::milliseconds(5);

/// An open file, which has the lock as long as it is open.
struct Descriptor {
  explicit Descriptor(int file) : number(file) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int number;
};

/// A file of another user could be kept locked for ever.
bool is_own_file(int file) {
  struct stat found{};
  return ::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid();
}

}  // namespace

std::shared_ptr<void> claim_file(const std::string& path, std::int64_t wait_ms) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(wait_ms);
  auto claim = std::make_shared<Descriptor>(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (claim->number < 0 || !is_own_file(claim->number)) return claim;
  while (::flock(claim->number, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return claim;
    if (Clock::now() >= end) return nullptr;
    std::this_thread::sleep_for(poll);
  }
  return claim;
}

}  // namespace baton::adapters::sqlite
