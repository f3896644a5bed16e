#pragma once
// A ProcessRunner for tests that starts nothing: the result of each program is set before,
// and time passes only while a caller waits. Any thread once it is set up.

#include <functional>
#include <map>

#include "base/core/thread_safety.h"
#include "ports/process_runner.h"

namespace baton::adapters {

/// How a program behaves when nothing stops it.
struct ScriptedProgram {
  ports::ProcessEnd end = ports::ProcessEnd::exited;
  int code = 0;
  std::string output = {};
  std::string errors = {};
  std::int64_t ms = 0;  // how long it takes
};

class ScriptedProcesses final : public ports::ProcessRunner {
 public:
  using Part = std::function<ScriptedProgram(const ports::Process&)>;

  /// Programs whose last argument this is behave, from now on, as `part` says. Others are not
  /// found.
  void write(std::string last_argument, Part part);

  std::unique_ptr<ports::RunningProcess> start(ports::Process process) override;

  /// As it was called last; "scripted" before.
  std::string identity() override;
  void call(std::string identity);

  /// Only this identity is alive; every other one counts as ended.
  std::optional<bool> is_alive(std::string_view identity) override;

  /// What was started, in order.
  std::vector<ports::Process> started() const;

 private:
  std::map<std::string, Part, std::less<>> parts_;
  mutable Mutex mutex_;
  std::vector<ports::Process> started_ GUARDED_BY(mutex_);
  std::string identity_ GUARDED_BY(mutex_) = "scripted";
};

}  // namespace baton::adapters
