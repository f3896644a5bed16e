#include "adapters/process/host_processes.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "adapters/files/descriptor.h"
#include "adapters/process/identity.h"
#include "adapters/process/run_process.h"

namespace baton::adapters {
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
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, std::chrono::milliseconds(ms_max), [&] { return result_.has_value(); });
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
    const std::scoped_lock lock(mutex_);
    result_ = std::move(result);
    ended_.notify_all();
  }

  const ports::Process process_;
  const Descriptor stop_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<ports::ProcessResult> result_;  // guarded by mutex_
  std::thread thread_;                          // last, so that it sees the others made
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
