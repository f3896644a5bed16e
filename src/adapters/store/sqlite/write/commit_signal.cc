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

// Which waiters a wake is for.
constexpr std::uint32_t for_waiters = 1;
constexpr std::uint32_t for_listeners = 2;
constexpr std::uint32_t all_of_them = 0x7fffffff;

void wake(std::atomic<std::uint32_t>& word, std::uint32_t count, std::uint32_t bits) {
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, count, nullptr, nullptr, bits);
}

/// After any answer the caller looks again.
void sleep_at(std::atomic<std::uint32_t>& word, std::uint32_t seen,
              std::chrono::nanoseconds at_most, std::uint32_t bits) {
  constexpr std::chrono::nanoseconds second = std::chrono::seconds(1);
  timespec until{};
  ::clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += at_most / second;
  until.tv_nsec += (at_most % second).count();
  if (until.tv_nsec >= second.count()) {
    until.tv_nsec -= second.count();
    ++until.tv_sec;
  }
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, seen, &until, nullptr, bits);
}

}  // namespace

bool CommitSignal::make_whole(int file) {
  struct stat found{};
  if (::fstat(file, &found) != 0) return false;
  if (found.st_size >= static_cast<off_t>(sizeof(Shared))) return true;
  // Written, not just lengthened: on a full disk a page that has no room yet would kill the process
  // that touches it. What is there stays: an older release may be waiting on it.
  constexpr char nothing[sizeof(Shared)] = {};
  const auto missing = sizeof nothing - static_cast<std::size_t>(found.st_size);
  return ::pwrite(file, nothing, missing, found.st_size) == static_cast<ssize_t>(missing);
}

bool CommitSignal::is_whole() const { return make_whole(file_.number()); }

std::unique_ptr<CommitSignal> CommitSignal::open(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return nullptr;
  struct stat found{};
  if (::fstat(file.number(), &found) != 0 || !S_ISREG(found.st_mode) ||
      found.st_uid != ::geteuid() || !make_whole(file.number())) {
    return nullptr;
  }
  void* mapped =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* shared = static_cast<Shared*>(mapped);
  return std::unique_ptr<CommitSignal>(new CommitSignal(std::move(file), shared));
}

CommitSignal::~CommitSignal() { ::munmap(shared_, sizeof(Shared)); }

void CommitSignal::ring() {
  if (!is_whole()) return;
  own_.fetch_add(1);
  shared_->rings.fetch_add(1);
  if (shared_->waiters.load() > 0) wake(shared_->rings, 1, for_waiters);
  if (shared_->listeners.load() > 0) wake(shared_->rings, all_of_them, for_listeners);
}

void CommitSignal::wait(std::uint32_t seen, std::chrono::nanoseconds at_most) {
  if (!is_whole()) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
    const timespec pause{.tv_sec = seconds.count(), .tv_nsec = (at_most - seconds).count()};
    ::nanosleep(&pause, nullptr);
    return;
  }
  shared_->waiters.fetch_add(1);
  sleep_at(shared_->rings, seen, at_most, for_waiters);
  if (is_whole()) shared_->waiters.fetch_sub(1);
}

bool CommitSignal::listen(std::uint32_t seen, std::chrono::nanoseconds at_most) {
  if (!is_whole()) return false;
  shared_->listeners.fetch_add(1);
  sleep_at(shared_->rings, seen, at_most, for_listeners);
  if (is_whole()) shared_->listeners.fetch_sub(1);
  return true;
}

}  // namespace baton::adapters::sqlite
