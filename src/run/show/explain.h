#pragma once
// What a workflow would do, step by step, before it is started: which steps there are, on what each
// depends, who does it. Nothing is evaluated. Pure.

#include <string>
#include <vector>

#include "workflow/compiled.h"

namespace baton::run {

struct ExplainedStep {
  std::string id;
  workflow::StepKind kind = workflow::StepKind::prompt;
  std::string title;
  std::vector<std::string> conditions;  // all that must hold, the outermost first
  std::vector<std::string> dependencies;
  std::optional<std::int64_t> sub_agents;  // of a parallel_foreach, where the inputs tell
};

struct ExplainedPlan {
  std::vector<ExplainedStep> steps;  // of any depth, in the order of the workflow
  std::optional<double> minutes;     // as the author estimates
  std::vector<std::string> tools;    // that the agent must have, by name
};

/// `inputs` are those the run would be started with, defaults included.
ExplainedPlan explain(const workflow::CompiledWorkflow& workflow, const json::Object& inputs);

}  // namespace baton::run
