#pragma once
// Scope: what conditions, loops and prompts at a place of a run can see. The run's context, the
// workflow's inputs as `inputs.name`, and the variables of the loops around the place, which hide
// whatever has the same name. Pure.

#include <optional>
#include <string_view>

#include "run/state.h"
#include "state/script.h"
#include "workflow/compiled.h"

namespace baton::run {

class Scope {
 public:
  /// `context` must outlive this.
  Scope(const json::Object& context, json::Object loop_variables)
      : context_(context), loop_variables_(std::move(loop_variables)) {}

  /// What `a.b.c` names: members of objects, elements of lists by number, `length` of lists and
  /// texts. Nothing when it names nothing.
  std::optional<json::Value> get(std::string_view path) const;

  /// A script with what it names here and nothing else. A name that means nothing is undefined,
  /// as the path of that name is.
  state::Evaluation evaluation(std::string source, const state::Draw& draw) const;

 private:
  const json::Value* find(std::string_view name) const;

  const json::Object& context_;
  json::Object loop_variables_;
};

/// The variables of the loops that `cursor` stands in.
json::Object loop_variables(const workflow::CompiledWorkflow& workflow, const Cursor& cursor);

/// What the open step of a node can see. `state` must outlive it.
Scope scope_at(const workflow::CompiledWorkflow& workflow, const NodeState& state);

/// The step that `cursor` stands at, or nullptr when it stands behind the last one of its block.
const workflow::Step* step_at(const workflow::CompiledWorkflow& workflow, const Cursor& cursor);

/// Its name in the rounds of the loops around it. REQUIRES: there is one.
std::string key_at(const workflow::CompiledWorkflow& workflow, const Cursor& cursor);

/// The blocks that `cursor` goes through, from the outside in.
struct Level {
  const workflow::Step* owner = nullptr;  // the step whose block it is; nullptr for the outermost
  const Frame* frame = nullptr;           // nullptr for the outermost
  const std::vector<workflow::Step>* steps = nullptr;
};
/// Ends early at a frame that the workflow has no block for.
std::vector<Level> levels_of(const workflow::CompiledWorkflow& workflow, const Cursor& cursor);

/// How many rounds a `for` or `forEach` loop has, and its items.
std::int64_t rounds_of(const workflow::Step& loop, const Frame& frame);
const json::Array* items_of(const workflow::Step& loop, const Frame& frame);

}  // namespace baton::run
