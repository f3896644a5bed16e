#include "verbs/workflow/explain_plan.h"

#include "run/graph/workflow_inputs.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::verbs {

Result<run::ExplainedPlan> explain_plan(ports::WorkflowSource& source, std::string_view workflow,
                                        const json::Object& inputs) {
  const workflow::Pinned pinned = TRY(find_workflow(source, workflow));
  return run::explain(pinned.workflow, TRY(run::with_inputs(pinned.workflow, inputs)));
}

}  // namespace baton::verbs
