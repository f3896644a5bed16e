#pragma once
// Instructions: what an agent or a person is told of a step that is not a prompt, in words and as
// the definition that single actions are carried out by. Each type of step fills in its own. Pure.

#include <string>
#include <vector>

#include "run/graph/state.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

struct AgentStep {
  std::string words;        // what to do, for an agent that gets a text alone
  json::Object definition;  // with `variable_replacements` and `original_expression` where it has
                            // expressions
};

class Instructions {
 public:
  Instructions(const workflow::CompiledWorkflow& workflow_of_step, const workflow::Step& open_step,
               const NodeState& state_of_run, Scripts& to_ask)
      : workflow(workflow_of_step),
        step(open_step),
        state(state_of_run),
        scope(scope_at(workflow_of_step, state_of_run)),
        scripts(to_ask) {}

  const workflow::CompiledWorkflow& workflow;
  const workflow::Step& step;
  const NodeState& state;
  const RunScope scope;
  Scripts& scripts;
  std::string words;

  void set(std::string_view key, json::Value value) { definition_.set(key, std::move(value)); }

  /// Keeps what the expressions of a template show, so that it can be told where a value came from.
  /// `filled`: the same value with the expressions evaluated, where that is known.
  void note(const json::Value& value, const json::Value* filled = nullptr);

  /// A text for people, with its values.
  std::string shown(const Boxed<std::string>& text) { return text ? shown(*text) : std::string(); }
  std::string shown(const std::string& text);

  /// A value that is used as it is, with every expression evaluated.
  Known<json::Value> exact(std::string_view key, const json::Value& value);

  /// Says how long the step may take, if it has an end.
  void limit(std::string_view sentence);

  AgentStep finish() &&;

 private:
  json::Object definition_;
  json::Object replacements_;
  std::vector<std::string> expressions_;
};

/// REQUIRES: `step` is the one that `state.cursor` is at, for an agent, and not a prompt. An
/// error when a value that is needed cannot be had.
Known<AgentStep> describe_agent_step(const workflow::CompiledWorkflow& workflow,
                                     const workflow::Step& step, const NodeState& state,
                                     Scripts& scripts);

/// Says where something went wrong, if it did.
std::unexpected<state::NoValue> at_step(const workflow::Step& step, std::string_view field,
                                        state::NoValue why);

std::string text_in(const json::Value& value);
std::string duration_text(std::int64_t ms);
/// A block of code that the text cannot end.
std::string fenced(std::string_view language, std::string_view text);

}  // namespace baton::run
