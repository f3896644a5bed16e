#pragma once
// Where workflow files come from. Any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace baton::ports {

struct WorkflowFile {
  std::string source;  // "bundled", "extra", "project", "user"
  std::string path;    // as shown to people
  std::string text;
  std::string problem;  // why it could not be read; empty when it could
};

class WorkflowSource {
 public:
  virtual ~WorkflowSource() = default;

  /// Every file of every source, highest source first, by name within one.
  virtual Result<std::vector<WorkflowFile>> all() = 0;

  /// The files that are called like this workflow, highest source first: cheap to ask for, and
  /// usually the answer. Only all() knows a file of another name.
  virtual Result<std::vector<WorkflowFile>> named(std::string_view name) = 0;
};

}  // namespace baton::ports
