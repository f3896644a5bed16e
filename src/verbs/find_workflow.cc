#include "verbs/find_workflow.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"
#include "workflow/read_json.h"

namespace baton::verbs {
namespace {

Result<workflow::CompiledWorkflow> read(const ports::WorkflowFile& file) {
  if (!file.problem.empty()) {
    return fail(Code::WORKFLOW_INVALID, cat(file.path, ": ", file.problem));
  }
  return workflow::read_json(file.text, file.path);
}

/// The first file that defines the workflow `id`. A file called like it that cannot be read is an
/// error: its author wants to know.
Result<std::optional<workflow::CompiledWorkflow>> pick(
    const std::vector<ports::WorkflowFile>& files, std::string_view id) {
  for (const ports::WorkflowFile& file : files) {
    auto compiled = read(file);
    if (compiled && compiled->id == id) return *std::move(compiled);
    if (!compiled && file.path.ends_with(cat('/', id, ".json"))) {
      return std::unexpected(std::move(compiled).error());
    }
  }
  return std::nullopt;
}

std::unexpected<Error> not_found(ports::WorkflowSource& source, std::string_view id) {
  std::vector<std::string> names;
  if (const auto listed = list_workflows(source)) {
    for (const ListedWorkflow& entry : *listed) {
      if (entry.pinned) names.push_back(entry.pinned->workflow.id);
    }
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = nearest(id, views);
  return fail(Code::WORKFLOW_NOT_FOUND,
              cat("there is no workflow \"", id, '"',
                  near ? cat("; did you mean \"", *near, "\"?") : std::string()),
              "call list_workflows to see which there are");
}

}  // namespace

Result<workflow::Pinned> find_workflow(ports::WorkflowSource& source, std::string_view id) {
  if (!workflow::is_valid_name(id)) {
    return fail(Code::INVALID_INPUT,
                "workflowId: letters, digits, '-', '_', ':' and '.' only, 1 to 128 characters",
                "call list_workflows and copy a workflowId");
  }
  if (auto found = TRY(pick(TRY(source.named(id)), id))) return workflow::pin(*std::move(found));
  if (auto found = TRY(pick(TRY(source.all()), id))) return workflow::pin(*std::move(found));
  return not_found(source, id);
}

Result<std::vector<ListedWorkflow>> list_workflows(ports::WorkflowSource& source) {
  std::vector<ListedWorkflow> out;
  std::set<std::string> seen;
  for (const ports::WorkflowFile& file : TRY(source.all())) {
    ListedWorkflow entry{file.source, file.path, std::nullopt, {}};
    auto compiled = read(file);
    if (compiled) {
      // A higher source hides a lower one's workflow of the same name.
      if (!seen.insert(compiled->id).second) continue;
      entry.pinned = TRY(workflow::pin(*std::move(compiled)));
    } else {
      entry.problem = compiled.error().message;
    }
    out.push_back(std::move(entry));
  }
  std::ranges::stable_sort(out, {}, [](const ListedWorkflow& entry) {
    return entry.pinned ? std::tuple(0, entry.pinned->workflow.id) : std::tuple(1, entry.path);
  });
  return out;
}

}  // namespace baton::verbs
