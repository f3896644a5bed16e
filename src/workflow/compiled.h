#pragma once
// CompiledWorkflow: what a run executes, with everything resolved. A run pins its canonical JSON
// by hash and never looks at a file again. docs/formats/compiled-workflow.md has the form.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/boxed.h"
#include "base/core/sha256.h"
#include "base/json/json.h"
#include "workflow/steps/body.h"

namespace baton::workflow {

std::string_view name_of(StepKind kind);
std::optional<StepKind> step_kind(std::string_view name);

struct Step;

/// Steps inside a step: "then", "else", "body" or "steps".
struct Block {
  std::string name;
  std::vector<Step> steps;
  bool operator==(const Block&) const;
};

enum class ErrorStrategy : std::uint8_t { retry, go_on, fail, fallback };

inline std::span<const std::string_view> names_of(ErrorStrategy) {
  static constexpr std::string_view names[] = {"retry", "continue", "fail", "fallback"};
  return names;
}

/// What follows when a step fails.
struct OnError {
  ErrorStrategy strategy = ErrorStrategy::fail;
  std::optional<std::int64_t> retries;
  std::optional<std::int64_t> delay_ms;
  Boxed<json::Value> value;  // in place of the step's result
  Boxed<std::string> message;
  bool operator==(const OnError&) const = default;

  static void members(auto& io, auto& self) {
    io("strategy", self.strategy);
    io("retries", self.retries);
    io("delay_ms", self.delay_ms);
    io("value", self.value);
    io("message", self.message);
  }
};

/// Who must agree before a step is done, where that depends on something.
struct Confirmation {
  std::string kind;  // human_approval or coordinator_eval
  Boxed<json::Value> condition;
  bool operator==(const Confirmation&) const = default;

  static void members(auto& io, auto& self) {
    io("kind", self.kind);
    io("condition", self.condition);
  }
};

/// A person has to agree before the step is done; of a command of the server, before it starts.
struct StepGate {
  Boxed<std::string> who;             // whom to ask, in the author's words
  std::optional<std::int64_t> count;  // how many have to agree
  Boxed<std::string> assurance;       // that their word needs
  std::optional<std::int64_t> expires_minutes;
  Boxed<std::string> prompt;  // what they are asked
  bool operator==(const StepGate&) const = default;

  static void members(auto& io, auto& self) {
    io("who", self.who);
    io("count", self.count);
    io("assurance", self.assurance);
    io("expires", self.expires_minutes);
    io("prompt", self.prompt);
  }
};

struct Step {
  std::string id;
  std::string title;
  std::string prompt;  // of a prompt: the whole text for the agent
  bool require_confirmation = false;
  std::optional<std::string> agent_role;
  // What a step of any type may say.
  Boxed<std::string> description;
  Boxed<std::vector<std::string>> tags;
  Boxed<std::vector<std::string>> path_patterns;
  std::optional<bool> allow_parallel;
  std::optional<std::int64_t> timeout_ms;
  Boxed<OnError> on_error;
  Boxed<json::Array> updates;  // of the state, by the result: {path, operation, value}
  std::vector<std::string> dependencies;
  Boxed<json::Value> run_condition;
  Boxed<json::Value> error_update;  // of the state, when the step fails
  Boxed<Confirmation> confirmation;
  bool notes_optional = false;
  Boxed<StepGate> gate;
  std::optional<bool> effect;  // whether it changes something outside
  Boxed<std::string> on_fork;  // what becomes of an effect that another branch had
  Boxed<std::string> undo;     // the command that takes its effect back
  bool despite_gaps = false;   // its command runs in spite of an open critical gap
  bool waivable = false;       // it may pass without its evidence
  // What its type says.
  StepBody body;
  std::vector<Block> blocks;
  bool operator==(const Step&) const = default;

  StepKind kind() const { return static_cast<StepKind>(body.index()); }

  /// The payload when the step is of that type, else nullptr.
  template <class Payload>
  const Payload* as() const {
    return std::get_if<Payload>(&body);
  }

  static void members(auto& io, auto& self) {
    io("description", self.description);
    io("tags", self.tags);
    io("pathPatterns", self.path_patterns);
    io("allowParallel", self.allow_parallel);
    io("timeout_ms", self.timeout_ms);
    io("on_error", self.on_error);
    io("updates", self.updates);
    io.when_filled("dependencies", self.dependencies);
    io("runCondition", self.run_condition);
    io("error_update", self.error_update);
    io("confirmation", self.confirmation);
    io.when_true("notesOptional", self.notes_optional);
    io("gate", self.gate);
    io("effect", self.effect);
    io("on_fork", self.on_fork);
    io("undo", self.undo);
    io.when_true("despite_gaps", self.despite_gaps);
    io.when_true("waivable", self.waivable);
  }
};

/// The command of a step, run by the server or the agent; nullptr when it has none.
const ShellCommand* command_of(const Step& step);

inline bool Block::operator==(const Block&) const = default;

/// Work for the agent: do what the prompt says, answer with an output.
Step prompt_step(std::string id, std::string title, std::string prompt,
                 bool require_confirmation = false, std::optional<std::string> agent_role = {});

/// What a sub-agent does: the blocks "steps" and, where it has one, "cleanup".
using TaskBlocks = std::vector<Block>;

struct CompiledWorkflow {
  std::string id;
  std::string name;
  std::string description;
  std::string version;
  std::vector<std::string> tags;
  std::vector<Step> steps;            // at least one
  json::Object declared;              // everything else, by the names in compiled.cc
  std::vector<Step> on_failure = {};  // those of its error_handling, ready to be walked
  std::map<std::string, TaskBlocks, std::less<>> tasks = {};  // likewise
  bool operator==(const CompiledWorkflow&) const = default;

  bool is_routine() const;
};

/// The blocks of a step: its own, or those of the task that a parallel_foreach names.
const std::vector<Block>& blocks_of(const CompiledWorkflow& workflow, const Step& step);

/// The declaration of the task that a parallel_foreach names; nullptr when its steps are its own.
const json::Value* task_of(const CompiledWorkflow& workflow, const Step& step);

json::Value to_json(const CompiledWorkflow& workflow);
json::Value to_json(const Step& step);

/// Reads what to_json wrote. STORE_CORRUPT when it is anything else.
Result<std::vector<Step>> steps_from_json(const json::Array& values);
Result<CompiledWorkflow> compiled_from_json(const json::Value& value);

/// The lowest form of docs/formats/compiled-workflow.md that has all that the workflow says: 1 when
/// release 0.1.0 knows it too, which takes any other member for damage.
std::int64_t form_of(const CompiledWorkflow& workflow);

/// A compiled workflow with the canonical text that names it.
struct Pinned {
  CompiledWorkflow workflow;
  std::string text;
  Sha256 hash;
  std::int64_t form = 1;
};

Result<Pinned> pin(CompiledWorkflow workflow);

/// Reads a pinned text back and checks it against its hash. STORE_CORRUPT when it was changed.
Result<Pinned> unpin(std::string text, const Sha256& hash);

/// Letters, digits, '-', '_', ':', '.'; 1 to 128 characters; never a path.
bool is_valid_name(std::string_view name);

/// The name of a step in one round of the loops around it: `triage`, `outer@0/inner@2::triage`.
struct LoopRound {
  std::string_view loop;
  std::int64_t iteration = 0;  // from 0
};
std::string instance_key(std::span<const LoopRound> loops, std::string_view step);

}  // namespace baton::workflow
