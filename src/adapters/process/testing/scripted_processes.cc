#include "adapters/process/testing/scripted_processes.h"

#include <algorithm>

#include "base/core/thread_safety.h"

namespace baton::adapters {
namespace {

using ports::ProcessEnd;
using ports::ProcessResult;

class ScriptedProcess final : public ports::RunningProcess {
 public:
  ScriptedProcess(ProcessResult result, std::int64_t ms)
      : result_(std::move(result)), left_ms_(ms) {}

  std::optional<ProcessResult> wait(std::int64_t ms_max) override {
    const MutexLock lock(mutex_);
    if (left_ms_ > ms_max) {
      left_ms_ -= ms_max;
      return std::nullopt;
    }
    left_ms_ = 0;
    return result_;
  }

  void stop() override {
    const MutexLock lock(mutex_);
    if (left_ms_ == 0) return;
    left_ms_ = 0;
    result_.end = ProcessEnd::stopped;
    result_.code = 0;
  }

 private:
  Mutex mutex_;
  ProcessResult result_ GUARDED_BY(mutex_);
  std::int64_t left_ms_ GUARDED_BY(mutex_);
};

ProcessResult result_of(const ports::Process& process, ScriptedProgram program) {
  ProcessResult result{
      program.end, program.code, std::move(program.output), std::move(program.errors),
      false,       false};
  if (program.ms > process.ms_max) {
    result.end = ProcessEnd::timed_out;
    result.code = 0;
  }
  if (result.output.size() > process.output_bytes_max) {
    result.output.resize(process.output_bytes_max);
    result.output_cut = true;
    if (process.when_full == ports::WhenFull::stop) {
      result.end = ProcessEnd::stopped;
      result.code = 0;
    }
  }
  if (result.errors.size() > process.errors_bytes_max) {
    result.errors.erase(0, result.errors.size() - process.errors_bytes_max);
    result.errors_cut = true;
  }
  return result;
}

}  // namespace

void ScriptedProcesses::write(std::string last_argument, Part part) {
  parts_[std::move(last_argument)] = std::move(part);
}

std::unique_ptr<ports::RunningProcess> ScriptedProcesses::start(ports::Process process) {
  ProcessResult result;
  std::int64_t ms = 0;
  const auto part = parts_.find(process.argv.back());
  if (process.why_not) result.refused = process.why_not();
  if (part == parts_.end() || !result.refused.empty()) {
    result.end = result.refused.empty() ? ProcessEnd::not_found : ProcessEnd::not_started;
  } else {
    ScriptedProgram program = part->second(process);
    ms = process.delay_ms + std::min(program.ms, process.ms_max);
    result = result_of(process, std::move(program));
  }
  const MutexLock lock(mutex_);
  started_.push_back(std::move(process));
  return std::make_unique<ScriptedProcess>(std::move(result), ms);
}

std::string ScriptedProcesses::identity() {
  const MutexLock lock(mutex_);
  return identity_;
}

void ScriptedProcesses::call(std::string identity) {
  const MutexLock lock(mutex_);
  identity_ = std::move(identity);
}

std::optional<bool> ScriptedProcesses::is_alive(std::string_view identity) {
  return identity == this->identity();
}

std::vector<ports::Process> ScriptedProcesses::started() const {
  const MutexLock lock(mutex_);
  return started_;
}

}  // namespace baton::adapters
