#include "adapters/process/host_processes.h"

#include <sys/eventfd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "adapters/files/descriptor.h"
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
  void watch() {
    ports::ProcessResult result = run_process(process_, stop_.number());
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
  return std::make_unique<HostProcess>(std::move(process));
}

}  // namespace baton::adapters
