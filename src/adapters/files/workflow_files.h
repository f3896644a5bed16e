#pragma once
// Workflow files in folders. A file is opened beneath its folder and never through a link, so a
// name cannot lead out of it. Nothing is read before it is asked for. Any thread.

#include <string>
#include <vector>

#include "ports/workflow_source.h"

namespace baton::adapters {

struct WorkflowFolder {
  std::string source;  // "extra", "project", "user"
  std::string path;
  bool must_exist = false;  // else a missing folder is an empty one
};

class WorkflowFiles final : public ports::WorkflowSource {
 public:
  /// `folders`: highest first.
  explicit WorkflowFiles(std::vector<WorkflowFolder> folders) : folders_(std::move(folders)) {}

  Result<std::vector<ports::WorkflowFile>> all() override;
  Result<std::vector<ports::WorkflowFile>> named(std::string_view name) override;

 private:
  std::vector<WorkflowFolder> folders_;
};

}  // namespace baton::adapters
