#pragma once
// What comes right behind the open step and reads from the context: a loop over a list that is not
// set, a condition. It is told with the step, so that no caller hears of it after the work. Pure.

#include <string>
#include <vector>

#include "run/graph/state.h"
#include "run/walk/scope.h"
#include "workflow/compiled.h"

namespace baton::run {

struct NextReads {
  std::vector<std::string> sentences;
  json::Object needed;  // what the context has to have when the step passes, a slot for each
};

/// Empty for a workflow with a state of its own: there the steps write what follows reads.
NextReads next_reads(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                     const RunScope& scope);

/// Whether it is empty because a step without conditions follows. REQUIRES: the open step is in no
/// block.
bool next_reads_nothing(const workflow::CompiledWorkflow& workflow, const NodeState& state);

}  // namespace baton::run
