#pragma once
// Runs programs on this machine: an exact environment, a directory, bounded time, output and use of
// the machine, no rights that the runner has not, and no process of a program left when it is
// over, including all that it forked. Any thread.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/limits.h"
#include "run/log/process.h"

namespace baton::ports {

using Environment = std::map<std::string, std::string, std::less<>>;

/// What happens when a program writes more than is kept: it continues and the rest is dropped, or
/// it is stopped.
enum class WhenFull : std::uint8_t { go_on, stop };

/// What the system lets a program use, and each process that it starts. A limit only ever lowers
/// what the runner has itself; nothing: as the runner has it. No core file is written.
struct ResourceLimits {
  std::optional<std::uint64_t> open_files = limits::command_open_files_max;
  std::optional<std::uint64_t> processes = limits::command_processes_max;  // of the whole user
  std::optional<std::uint64_t> file_bytes = limits::command_file_bytes_max;
  std::optional<std::uint64_t> cpu_seconds = limits::command_cpu_seconds_max;
  std::optional<std::uint64_t> memory_bytes = {};  // of addresses, not of memory in use
  bool operator==(const ResourceLimits&) const = default;
};

/// Where a program and all that it starts may create, change and remove files: beneath the
/// workspace, the folder of its git repository, TMPDIR and `writable`. Where the system cannot
/// enforce that, the program is not started.
struct CommandSandbox {
  std::string workspace;              // absolute
  std::vector<std::string> writable;  // absolute paths of folders and files
  bool operator==(const CommandSandbox&) const = default;
};

struct Process {
  /// The program comes first: a name, looked for in the absolute folders of the environment's PATH,
  /// or a path, which starts at the directory.
  std::vector<std::string> argv;
  std::string directory;    // absolute; empty: the runner's own
  Environment environment;  // all of it
  std::string input = {};
  std::size_t output_bytes_max = limits::process_output_bytes_max;  // its beginning is kept
  std::size_t errors_bytes_max = limits::process_errors_bytes_max;  // its end is kept
  WhenFull when_full = WhenFull::go_on;                             // with output
  std::int64_t ms_max = limits::process_ms_max;                     // from its start
  std::int64_t delay_ms = 0;                                        // before that
  ResourceLimits resources = {};
  std::optional<CommandSandbox> sandbox = {};  // none: it may write everywhere its user may
  /// Asked after the delay and right before the start, in the process that starts it. What it
  /// returns is the reason not to; empty: start.
  std::function<std::string()> why_not = {};
};

/// What the owner of this machine lets the commands of workflows have.
struct CommandSettings {
  Environment environment;
  ResourceLimits resources = {};
  bool is_sandboxed = false;               // all of them; else those that ask for it
  std::vector<std::string> writable = {};  // in a sandbox, beside the workspace
};

using run::ProcessEnd;
using run::ProcessResult;

/// A program that was started. It is killed, with everything it started, when this goes away.
class RunningProcess {
 public:
  virtual ~RunningProcess() = default;

  /// The result as soon as there is one; nothing when `ms_max` are over first. What the program
  /// started is gone by then.
  virtual std::optional<ProcessResult> wait(std::int64_t ms_max) = 0;

  /// Kills it; wait() gives the result. Nothing when it has ended already.
  virtual void stop() = 0;
};

/// Tells who runs programs, without starting any.
class ProcessWatch {
 public:
  virtual ~ProcessWatch() = default;

  /// Names the process that starts programs here: no other process has had or will have the same.
  virtual std::string identity() = 0;

  /// Whether the process of an identity is still there; nothing when that cannot be told here, as
  /// of one on another machine.
  virtual std::optional<bool> is_alive(std::string_view identity) = 0;
};

class ProcessRunner : public ProcessWatch {
 public:
  /// Never fails: a program that cannot be started has a result that says so. The program runs on
  /// while no caller waits for it.
  virtual std::unique_ptr<RunningProcess> start(Process process) = 0;
};

}  // namespace baton::ports
