#pragma once
// From a workflow's name to its compiled, pinned form, and the list of all there are.

#include <string>
#include <string_view>
#include <vector>

#include "ports/aux_store.h"
#include "ports/workflow_source.h"
#include "workflow/compile.h"

namespace baton::verbs {

/// WORKFLOW_NOT_FOUND names the nearest; WORKFLOW_INVALID when its file has mistakes.
Result<workflow::Pinned> find_workflow(ports::WorkflowSource& source, std::string_view id);

/// A workflow's file and what it compiles to, without errors.
struct FoundWorkflow {
  ports::WorkflowFile file;
  workflow::Compilation compilation;
};

/// The same with everything the compiler says beside the compiled form.
Result<FoundWorkflow> inspect_workflow(ports::WorkflowSource& source, std::string_view id);

/// The file that defines the workflow `id`, in the highest source that has one.
Result<ports::WorkflowFile> find_workflow_file(ports::WorkflowSource& source, std::string_view id);

/// A workflow file, compiled or refused.
struct ListedWorkflow {
  std::string source;
  std::string path;
  std::string id;  // of a broken file, when it could be read so far
  std::string name;
  std::string description;
  std::string version;
  std::string kind;  // "workflow" or "routine"
  std::string hash;  // of the compiled form, in hexadecimal
  std::vector<std::string> tags;
  std::string problem;    // why it cannot be used; empty when it can
  bool is_other = false;  // a persona, rule, schema or index: it is not listed
  std::string hidden_by;  // the path of the file in a higher source with the same id
};

/// Every workflow, by namespace, kind and name; broken files last, with their reason. `cache`: what
/// was found out about files that have not changed since; none when nullptr.
Result<std::vector<ListedWorkflow>> list_workflows(ports::WorkflowSource& source,
                                                   ports::AuxStore* cache);

}  // namespace baton::verbs
