#pragma once
// What a run of a workflow would do, without starting one. Reads only.

#include "ports/workflow_source.h"
#include "run/show/explain.h"

namespace baton::verbs {

/// INVALID_INPUT when a run could not be started with these inputs.
Result<run::ExplainedPlan> explain_plan(ports::WorkflowSource& source, std::string_view workflow,
                                        const json::Object& inputs);

}  // namespace baton::verbs
