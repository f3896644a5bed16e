#pragma once
// Scope: what conditions, loops and prompts at a place of a run can see. From the inside out: the
// variables of the loops around the place, the state of the frame that it is in, the run's context
// with the workflow's inputs as `inputs.name`. Pure.

#include <optional>
#include <span>
#include <string_view>

#include "run/graph/schemas.h"
#include "run/graph/state.h"
#include "state/scope.h"
#include "workflow/compiled.h"

namespace baton::run {

/// Whose frame `this` is at a place.
struct FramePlace {
  std::string key;           // of NodeState::states
  std::string_view include;  // the id of the include step; empty for the root
};

class RunScope {
 public:
  /// Without state. `context` must outlive this.
  RunScope(const json::Object& context, json::Object loop_variables)
      : context_(context), loop_variables_(std::move(loop_variables)) {}

  /// With the frames of a run, which must outlive this too; `states` may be nullptr.
  RunScope(const json::Object& context, json::Object loop_variables, const States* states,
           const FramePlace& place);

  /// With names that mean something only where nothing else has them.
  RunScope with_spare_names(json::Object spare) &&;

  bool has_state() const { return frame_ != nullptr; }

  /// What `a.b.c` names: members of objects, elements of lists by number, `length` of lists and
  /// texts. Nothing when it names nothing.
  std::optional<json::Value> get(std::string_view path) const;

  /// The same as scripts see it. `schemas` may be nullptr without state.
  state::Scope names(const Schemas* schemas) const;

 private:
  const json::Value* find(std::string_view name) const;
  std::optional<json::Value> in_frame(std::string_view path) const;

  const json::Object& context_;
  json::Object loop_variables_;
  json::Object spare_;
  const state::Frame* frame_ = nullptr;   // nullptr: there is no state
  const state::Frame* global_ = nullptr;  // nullptr: `frame_` is the root's
  std::string_view include_;
};

/// The variables of the loops that `cursor` is in.
json::Object loop_variables(const workflow::CompiledWorkflow& workflow, const Cursor& cursor);

/// These, and `error` while the run fails.
json::Object variables_at(const workflow::CompiledWorkflow& workflow, const Cursor& cursor,
                          const FailureCounts& setbacks);

/// What an expression can call the run and, inside a task, its item without declaring it:
/// `workflow_id`, by which agents name the run, and `batch_id`. `run` is the run's, or the one
/// whose task it carries out.
json::Object spare_names(const workflow::CompiledWorkflow& workflow, const Cursor& cursor,
                         const RunId& run);

/// The steps that a cursor's position counts in, and the first position of theirs. Behind the steps
/// of the workflow and the position that says it is complete come those of on_failure.
struct Outermost {
  const std::vector<workflow::Step>* steps;
  std::int64_t first = 0;
};
Outermost outermost(const workflow::CompiledWorkflow& workflow, std::int64_t position);

/// Where the steps of on_failure begin.
std::int64_t failure_position(const workflow::CompiledWorkflow& workflow);

/// What the open step of a node can see. `state` must outlive it.
RunScope scope_at(const workflow::CompiledWorkflow& workflow, const NodeState& state);

/// The step that `cursor` is at, or nullptr when it is behind the last one of its block.
const workflow::Step* step_at(const workflow::CompiledWorkflow& workflow, const Cursor& cursor);

/// Its name in the rounds of the loops around it. REQUIRES: there is one.
std::string key_at(const workflow::CompiledWorkflow& workflow, const Cursor& cursor);

/// The blocks that `cursor` goes through, from the outside in.
struct BlockLevel {
  const workflow::Step* owner = nullptr;  // the step whose block it is; nullptr for the outermost
  const CursorFrame* frame = nullptr;     // nullptr for the outermost
  const std::vector<workflow::Step>* steps = nullptr;
  bool has_frame = false;  // of state, its own: an include, or a task apart from its parent's
};
/// Ends early at a frame that the workflow has no block for.
std::vector<BlockLevel> levels_of(const workflow::CompiledWorkflow& workflow, const Cursor& cursor);

/// The frame that steps in the innermost of `levels` are in, which its owner may have made.
/// REQUIRES: `levels` is not empty.
FramePlace frame_of(std::span<const BlockLevel> levels);

/// The id of the include step that a frame's key is of; empty for the root's.
std::string_view include_of(std::string_view frame_key);

/// The levels around the task that `levels` are inside of; empty when they are inside of none.
std::span<const BlockLevel> around_task(std::span<const BlockLevel> levels);

}  // namespace baton::run
