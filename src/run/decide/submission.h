#pragma once
// Input: what an agent sends with an advance or a checkpoint. A value.

#include <optional>
#include <string>

#include "base/core/sha256.h"
#include "base/json/json.h"
#include "run/log/process.h"
#include "run/log/types.h"
#include "run/steps/tasks.h"
#include "state/write.h"

namespace baton::run {

struct PreferencesDelta {
  std::optional<Autonomy> autonomy;
  std::optional<RiskPolicy> risk_policy;
  bool operator==(const PreferencesDelta&) const = default;
};

/// With a checkpoint: that a caller ends the run, or that it continues
/// again.
struct RunEnd {
  RunState to = RunState::failed;
  std::string reason;
  bool resets_counts = false;  // of failed attempts, when it continues
  bool operator==(const RunEnd&) const = default;
};

/// That a step could not be done.
struct StepFailure {
  std::string type;  // what failed: "agent", "command", "timeout", "task"
  std::string message;
  bool operator==(const StepFailure&) const = default;
};

struct StepInput {
  std::optional<std::string> notes;
  json::Array artifacts;
  json::Object context;  // a delta
  PreferencesDelta preferences;
  // That the caller's model used for it, as its client counts. It says nothing of the output, so a
  // call that is sent again with another number is the same.
  std::int64_t tokens_used = 0;
  std::optional<RunEnd> end = {};
  std::optional<StepFailure> failure = {};  // of an advance only
  std::vector<state::Write> writes = {};    // to the state, of a checkpoint only
  // Of the server's own attempt at a step that it ran the command of; nothing else counts then.
  std::optional<ProcessReport> process = {};
  // Of the server's own attempt with the result that another branch had. Of a command, `process`
  // has it; of an agent's step it is the agent's output there.
  bool is_reused = false;
  std::optional<TasksOutcome> tasks = {};  // of a parallel_foreach, by the server alone
  bool operator==(const StepInput&) const = default;

  /// Of an attempt that the server makes by itself: no caller's input takes its place.
  bool is_servers_own() const { return process.has_value() || is_reused; }
};

/// Names the input: with the node and the step, it says which attempt a call means. Zero for an
/// attempt that the server made itself: no caller's input is another one then.
Result<Sha256> input_hash(const StepInput& input);

/// What another input at a settled step is. Each surface chooses.
enum class OtherInput : std::uint8_t {
  notice,  // nothing new: the recorded answer, with a notice
  fork,    // a new attempt: a branch that begins at the node, or the next try at a blocked step
};

/// Whether an attempt that was recorded with the hash `recorded` answers a call that sends `sent`
/// to the same place; no hash: the input has none. An attempt of the server itself answers every
/// caller, since no caller's input can replace it.
bool is_answer_to(const Sha256& recorded, const std::optional<Sha256>& sent, OtherInput other);

}  // namespace baton::run
