#include "adapters/process/host_processes.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "adapters/files/descriptor.h"
#include "adapters/process/run_process.h"
#include "base/core/thread_safety.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

std::string first_line(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

/// What all processes that can be looked at here have in common.
const std::string& place() {
  static const std::string text = [] {
    std::error_code ignored;
    return cat(first_line("/proc/sys/kernel/random/boot_id"), ' ',
               std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string());
  }();
  return text;
}

/// When a process began, in ticks since the boot; empty when it is gone, also when only its parent
/// has not taken note of that yet.
std::string beginning_of(std::int64_t pid) {
  // "N (name) state parent ... beginning ...", where the name may hold anything.
  const std::string stat = first_line(cat("/proc/", pid, "/stat"));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return {};
  std::string_view rest = std::string_view(stat).substr(name_end + 2);
  if (rest.front() == 'Z' || rest.front() == 'X') return {};
  constexpr int fields_before = 19;  // from the state on
  for (int field = 0; field < fields_before; ++field) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return {};
    rest.remove_prefix(blank + 1);
  }
  return std::string(rest.substr(0, rest.find(' ')));
}

}  // namespace

std::string own_identity() { return cat(place(), ' ', ::getpid(), ' ', beginning_of(::getpid())); }

std::optional<bool> is_alive(std::string_view identity) {
  if (!identity.starts_with(cat(place(), ' '))) return std::nullopt;
  const std::string_view rest = identity.substr(place().size() + 1);
  const std::size_t blank = rest.find(' ');
  const auto pid = parse_int(std::string(rest.substr(0, blank)));
  if (blank == std::string_view::npos || !pid) return std::nullopt;
  const std::string began = beginning_of(*pid);
  return !began.empty() && began == rest.substr(blank + 1);
}

namespace {

class HostProcess final : public ports::RunningProcess {
 public:
  explicit HostProcess(ports::Process process)
      : process_(std::move(process)),
        stop_(::eventfd(0, EFD_CLOEXEC)),
        thread_([this] { watch(); }) {}

  ~HostProcess() override {
    stop();
    thread_.join();
  }

  std::optional<ports::ProcessResult> wait(std::int64_t ms_max) override {
    MutexLock lock(mutex_);
    ended_.wait_for(mutex_, std::chrono::milliseconds(ms_max),
                    [this]() REQUIRES(mutex_) { return result_.has_value(); });
    return result_;
  }

  void stop() override {
    const std::uint64_t once = 1;
    static_cast<void>(!::write(stop_.number(), &once, sizeof once));
  }

 private:
  bool is_stopped_within(std::int64_t ms) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
    while (true) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      pollfd stopped{stop_.number(), POLLIN, 0};
      if (::poll(&stopped, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000))) > 0) {
        return true;
      }
    }
  }

  void watch() {
    ports::ProcessResult result;
    if (is_stopped_within(process_.delay_ms)) {
      result.end = ports::ProcessEnd::stopped;
    } else {
      result = run_process(process_, stop_.number());
    }
    const MutexLock lock(mutex_);
    result_ = std::move(result);
    ended_.notify_all();
  }

  const ports::Process process_;
  const Descriptor stop_;
  Mutex mutex_;
  Condition ended_;
  std::optional<ports::ProcessResult> result_ GUARDED_BY(mutex_);
  std::thread thread_;  // last, so that it sees the others made
};

}  // namespace

std::unique_ptr<ports::RunningProcess> HostProcesses::start(ports::Process process) {
  if (process.directory.empty()) process.directory = std::filesystem::current_path().string();
  if (process.sandbox && process.sandbox->workspace.empty()) {
    process.sandbox->workspace = process.directory;
  }
  return std::make_unique<HostProcess>(std::move(process));
}

std::string HostProcesses::identity() {
  static const std::string own = own_identity();
  return own;
}

std::optional<bool> HostProcesses::is_alive(std::string_view identity) {
  return adapters::is_alive(identity);
}

}  // namespace baton::adapters
