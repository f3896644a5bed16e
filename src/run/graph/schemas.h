#pragma once
// Schemas: what a workflow declares about the state of its frames, its own and those of the
// workflows it includes. Made once for a workflow; an immutable value. Pure.

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "state/answers.h"
#include "state/schema.h"
#include "workflow/compiled.h"

namespace baton::run {

class Schemas {
 public:
  /// nullptr for a workflow that declares no state, writes none and includes none: it has no frame.
  static Result<std::shared_ptr<const Schemas>> of(const workflow::CompiledWorkflow& workflow);

  const state::StateSchema& root() const { return root_; }

  /// Of the workflow that a step includes, or of the tasks that a step hands out with frames of
  /// their own; the root's for an empty id. REQUIRES: it is one.
  const state::StateSchema& of_include(std::string_view step) const;

 private:
  Result<void> add(const workflow::CompiledWorkflow& workflow,
                   const std::vector<workflow::Step>& steps);
  Result<void> add_frame(const std::string& step, const json::Object& state,
                         const json::Object& inputs, state::StateSchema::Names readable);

  bool is_needed_ = false;  // by a step
  state::StateSchema root_;
  std::map<std::string, state::StateSchema, std::less<>> includes_;
  std::map<std::string, std::pair<json::Object, json::Object>> declared_;  // their state and inputs
};

/// What an update is made with.
struct UpdateContext {
  const Schemas& schemas;
  state::ScriptSeed draw;
  state::ScriptAnswers& answers;
};

}  // namespace baton::run
