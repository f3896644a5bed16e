#pragma once
// Assessments: how a step's result is judged along declared dimensions, and what a level asks for.
// Pure.

#include <string>
#include <vector>

#include "run/decide/verdict.h"
#include "workflow/compiled.h"

namespace baton::run {

struct AssessmentCheck {
  std::vector<Finding> findings;
  /// Those the step asks for that are of their form, in the step's order. One that a consequence
  /// asks a follow-up for has its guidance.
  std::vector<Assessment> judged;
  /// Of levels that still ask for a follow-up after one was made; without id and step.
  std::vector<Gap> gaps;
};

/// `sent` are the assessments of the output; `asked` those that an attempt just before this one was
/// blocked with. A level with a consequence asks for its follow-up once: then the attempt does not
/// pass. Sent again, the assessment counts as it is, and what is still low is a gap:
/// asking for ever would only teach the agent to raise the level.
AssessmentCheck check_assessments(const workflow::CompiledWorkflow& workflow,
                                  const workflow::Step& step, const std::vector<Assessment>& sent,
                                  const std::vector<Assessment>& asked);

/// What the step's assessments ask for, as lines for its prompt; empty when it has none.
std::vector<std::string> describe_assessments(const workflow::CompiledWorkflow& workflow,
                                              const workflow::Step& step);

/// Artifacts that would answer them; empty when it has none.
json::Array example_assessments(const workflow::CompiledWorkflow& workflow,
                                const workflow::Step& step);

}  // namespace baton::run
