#pragma once
// Runs programs on this machine: an exact environment, a directory, bounded time and output, and
// nothing of a program left behind when it is over, whatever it forked. Any thread.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "run/process.h"

namespace baton::ports {

using Environment = std::map<std::string, std::string, std::less<>>;

/// What happens when a program writes more than is kept: it goes on and the rest is thrown away, or
/// it is stopped.
enum class WhenFull : std::uint8_t { go_on, stop };

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
};

/// The arguments that make a shell read `text`.
inline std::vector<std::string> shell_argv(std::string text) {
  return {"sh", "-c", std::move(text)};
}

using run::ProcessEnd;
using run::ProcessResult;

/// A program that was started. It is killed, with everything it started, when this goes away.
class RunningProcess {
 public:
  virtual ~RunningProcess() = default;

  /// The result as soon as there is one; nothing when `ms_max` are over first. Whatever the program
  /// started is gone by then.
  virtual std::optional<ProcessResult> wait(std::int64_t ms_max) = 0;

  /// Kills it; wait() gives the result. Nothing when it has ended already.
  virtual void stop() = 0;
};

/// Tells who runs programs, without starting any.
class ProcessWatch {
 public:
  virtual ~ProcessWatch() = default;

  /// Names whoever starts programs here, for good: no other process has had or will have the same.
  virtual std::string identity() = 0;

  /// Whether the process of an identity is still there; nothing when that cannot be told here, as
  /// of one on another machine.
  virtual std::optional<bool> is_alive(std::string_view identity) = 0;
};

class ProcessRunner : public ProcessWatch {
 public:
  /// Never fails: a program that cannot be started has a result that says so. The program runs on
  /// while nobody waits for it.
  virtual std::unique_ptr<RunningProcess> start(Process process) = 0;
};

}  // namespace baton::ports
