#pragma once
// From a workflow's name to its compiled, pinned form.

#include <string>
#include <string_view>
#include <vector>

#include "ports/workflow_source.h"
#include "workflow/compiled.h"

namespace baton::verbs {

/// WORKFLOW_NOT_FOUND names the nearest; WORKFLOW_INVALID when its file has mistakes.
Result<workflow::Pinned> find_workflow(ports::WorkflowSource& source, std::string_view id);

/// A workflow file, read or refused.
struct ListedWorkflow {
  std::string source;
  std::string path;
  std::optional<workflow::Pinned> pinned;
  std::string problem;  // why it could not be read; empty when it could
};

/// Every workflow, by namespace and name; broken files last, with their reason.
Result<std::vector<ListedWorkflow>> list_workflows(ports::WorkflowSource& source);

}  // namespace baton::verbs
