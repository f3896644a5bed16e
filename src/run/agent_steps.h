#pragma once
// Steps that an agent or a person does, other than prompts: what they are told, in words and as
// the definition that single actions are carried out by. Pure.

#include <string>
#include <vector>

#include "run/cursor.h"
#include "run/scripts.h"
#include "run/state.h"
#include "workflow/compiled.h"

namespace baton::run {

/// Whether an agent or a person does steps of a kind: prompts and those described here.
bool is_for_agent(workflow::StepKind kind);

struct AgentStep {
  std::string words;        // what to do, for an agent that gets a text alone
  json::Object definition;  // with `variable_replacements` and `original_expression` where it has
                            // expressions
};

/// REQUIRES: `step` is the one that `state.cursor` stands at, for an agent, not a prompt. An error
/// when a value that is needed cannot be had.
Result<AgentStep> describe_agent_step(const workflow::CompiledWorkflow& workflow,
                                      const workflow::Step& step, const NodeState& state,
                                      Scripts& scripts);

/// The step with the values that an answer to it is judged by; nothing when it has them already.
Result<std::optional<workflow::Step>> with_answer_rules(const workflow::Step& step,
                                                        const Scope& scope, Scripts& scripts);

/// Messages that follow one another are delivered together: the keys of those behind the one that
/// `cursor` is at, up to the first other step or one with a condition.
std::vector<std::string> keys_passed_with(const workflow::CompiledWorkflow& workflow,
                                          const Cursor& cursor);

/// Moves the cursor to the last of these.
void pass_messages(const workflow::CompiledWorkflow& workflow, Cursor& cursor);

}  // namespace baton::run
