#pragma once
// CompiledWorkflow: what a run executes, with everything resolved. A run pins its canonical JSON
// by hash and never looks at a file again. docs/formats/compiled-workflow.md has the form.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/sha256.h"
#include "base/json/json.h"

namespace baton::workflow {

enum class StepKind : std::uint8_t {
  prompt,
  user_message,
  user_input,
  mcp_call,
  shell_command,
  agent_shell_command,
  state_update,
  conditional,
  loop,
  break_loop,
  continue_loop,
  exit,
  parallel_foreach,
  include,
  apply_hints,
  wait_step,
};

std::string_view name_of(StepKind kind);
std::optional<StepKind> step_kind(std::string_view name);

struct Step;

/// Steps inside a step: "then", "else", "body" or "steps".
struct Block {
  std::string name;
  std::vector<Step> steps;
  bool operator==(const Block&) const;
};

struct Step {
  std::string id;
  StepKind kind = StepKind::prompt;
  std::string title;
  std::string prompt;  // of a prompt: the whole text for the agent
  bool require_confirmation = false;
  std::optional<std::string> agent_role;
  json::Object fields;  // everything else, by the names in compiled.cc
  std::vector<Block> blocks;
  bool operator==(const Step&) const = default;
};

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
  json::Object fields;                // everything else, by the names in compiled.cc
  std::vector<Step> on_failure = {};  // those of fields.error_handling, ready to be walked
  std::map<std::string, TaskBlocks, std::less<>> tasks = {};  // those of fields.tasks, likewise
  bool operator==(const CompiledWorkflow&) const = default;

  bool is_routine() const;
};

/// The blocks of a step: its own, or those of the task that a parallel_foreach names.
const std::vector<Block>& blocks_of(const CompiledWorkflow& workflow, const Step& step);

/// The declaration of the task that a parallel_foreach names; nullptr when its steps are its own.
const json::Value* task_of(const CompiledWorkflow& workflow, const Step& step);

/// The closed sets of further fields.

json::Value to_json(const CompiledWorkflow& workflow);
json::Value to_json(const Step& step);

/// Reads what to_json wrote. STORE_CORRUPT when it is anything else.
Result<std::vector<Step>> steps_from_json(const json::Array& values);
Result<CompiledWorkflow> compiled_from_json(const json::Value& value);

/// A compiled workflow with the canonical text that names it.
struct Pinned {
  CompiledWorkflow workflow;
  std::string text;
  Sha256 hash;
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
