#pragma once
// The prompt of a step as the agent gets it: the compiled text with values of the context,
// fragments whose condition holds, what is known of capabilities, what must be sent and how.
// The same state and script results give the same bytes. A step that needs none of it costs
// nothing beyond its text. Pure.

#include "run/graph/state.h"
#include "run/show/reply.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

struct AssembledPrompt {
  std::string title;
  std::string prompt;
  bool require_confirmation = false;
  json::Object example;          // an `output` that would pass; empty when anything would
  json::Object definition = {};  // of a step that is not a prompt
};

/// REQUIRES: `step` is the one that `state.cursor` is at. An error when the script of a
/// condition fails.
Known<AssembledPrompt> assemble_prompt(const workflow::CompiledWorkflow& workflow,
                                       const workflow::Step& step, const NodeState& state,
                                       Scripts& scripts);

/// Whether the user has to agree to the output of the step: it says so, or its condition holds.
Known<bool> needs_confirmation(const workflow::CompiledWorkflow& workflow,
                               const workflow::Step& step, const NodeState& state,
                               Scripts& scripts);

/// An `output` that would pass, filled in but for what only the sender knows.
Known<json::Object> example_for(const workflow::CompiledWorkflow& workflow,
                                const workflow::Step& step, const NodeState& state,
                                Scripts& scripts);

}  // namespace baton::run
