#pragma once
// Commands of a workflow that the server runs, as events: each is recorded before it starts, and
// again with its result. Values.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/log/types.h"

namespace baton::run {

enum class ProcessEnd : std::uint8_t {
  exited,       // code: what it ended with
  signalled,    // code: the signal
  timed_out,    // it was killed
  stopped,      // it was killed: it wrote too much, or its result is no longer needed
  not_found,    // there is no such program
  not_started,  // code: the error number; 0 when an argument cannot be given to a program at all
  unknown       // it may have run, and its result is unknown
};
template <>
inline constexpr Names<7> names_of<ProcessEnd> = {
    "exited", "signalled", "timed_out", "stopped", "not_found", "not_started", "unknown"};

struct ProcessResult {
  ProcessEnd end = ProcessEnd::unknown;
  int code = 0;
  std::string output;  // bytes of any kind
  std::string errors;  // the same
  bool output_cut = false;
  bool errors_cut = false;
  std::string refused = {};  // of one that was not started: why it may not be
  bool operator==(const ProcessResult&) const = default;
};

/// The server is about to run a command for the open step of `node`. A process that finds it and no
/// process_finished behind it, and not its runner either, knows that it may have run.
struct ProcessIntended {
  RunId run;
  NodeId node;
  std::string step;
  std::int64_t tries = 0;                                       // of the same step, made before
  std::vector<std::string> argv;                                // the program comes first
  std::string directory;                                        // absolute; empty: the server's own
  std::map<std::string, std::string, std::less<>> environment;  // beside the server's own
  std::int64_t timeout_ms = 0;
  std::int64_t delay_ms = 0;  // before it starts
  std::string runner;         // the process that starts it, and no other does
  bool operator==(const ProcessIntended&) const = default;

  static constexpr std::string_view name = "process_intended";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("step", e.step);
    v("argv", e.argv);
    v.must("argv", "a program", [&] { return !e.argv.empty(); });
    v("timeoutMs", e.timeout_ms);
    v("runner", e.runner);
    v.unless_empty("tries", e.tries);
    v.unless_empty("delayMs", e.delay_ms);
    v.unless_empty("directory", e.directory);
    v.unless_empty("environment", e.environment);
  }
};

/// What became of it. `node` is the one that follows, where the step is settled, tried again, or
/// handed to the agent.
struct ProcessFinished {
  RunId run;
  NodeId node;
  NodeId intended;      // the node that it was intended at
  std::string problem;  // why the run cannot use its result; may be empty
  ProcessEnd end = ProcessEnd::unknown;
  std::int64_t code = 0;
  std::int64_t output_bytes = 0;  // kept and read
  bool output_cut = false;
  std::string output;  // its beginning, to be read by people
  std::string errors;  // its end, likewise
  bool operator==(const ProcessFinished&) const = default;

  static constexpr std::string_view name = "process_finished";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("intended", e.intended);
    v("end", e.end);
    v.unless_empty("code", e.code);
    v.unless_empty("problem", e.problem);
    v.unless_empty("outputBytes", e.output_bytes);
    v.unless_empty("outputCut", e.output_cut);
    v.unless_empty("output", e.output);
    v.unless_empty("errors", e.errors);
  }
};

/// What the server sends for a step whose command has ended.
struct ProcessReport {
  ProcessResult result;
  // What is in the way of using it; empty: nothing. Then the step fails, or is handed over to the
  // agent when even that cannot be recorded.
  std::string problem = {};
  bool is_handed_over = false;
  bool keeps_result = false;  // of one that is handed over: what the step makes of it is kept
  bool operator==(const ProcessReport&) const = default;
};

/// What the log keeps of it; without a node.
ProcessFinished noted(const ProcessIntended& intended, const ProcessReport& report);

}  // namespace baton::run
