#include "adapters/store/sqlite/write/commit_signal.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace baton::adapters::sqlite {
namespace {

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  // After any answer the waiter checks the lock again.
  syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

std::unique_ptr<CommitSignal> CommitSignal::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return nullptr;
  void* mapped = MAP_FAILED;
  struct stat found{};
  constexpr char nothing[sizeof(Shared)] = {};
  // It only ever grows, from nothing to this. Written, not just lengthened: on a full disk a page
  // that has no room yet would kill who touches it.
  if (::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid() &&
      (found.st_size >= static_cast<off_t>(sizeof nothing) ||
       ::pwrite(file, nothing, sizeof nothing, 0) == sizeof nothing)) {
    mapped = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  ::close(file);
  if (mapped == MAP_FAILED) return nullptr;
  return std::unique_ptr<CommitSignal>(new CommitSignal(static_cast<Shared*>(mapped)));
}

CommitSignal::~CommitSignal() { ::munmap(shared_, sizeof(Shared)); }

void CommitSignal::ring() {
  shared_->rings.fetch_add(1);
  if (shared_->waiters.load() > 0) futex(shared_->rings, FUTEX_WAKE, 1, nullptr);
}

void CommitSignal::wait(std::uint32_t seen, std::chrono::nanoseconds at_most) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
  const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (at_most - seconds).count()};
  shared_->waiters.fetch_add(1);
  futex(shared_->rings, FUTEX_WAIT, seen, &timeout);
  shared_->waiters.fetch_sub(1);
}

}  // namespace baton::adapters::sqlite
