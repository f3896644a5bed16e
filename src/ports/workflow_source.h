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
};

class WorkflowSource {
 public:
  virtual ~WorkflowSource() = default;

  /// Every file of every source, highest source first, by name within one.
  virtual Result<std::vector<WorkflowFile>> all() = 0;

  /// Files that may define the workflow of this name, likeliest first; the caller reads them.
  virtual Result<std::vector<WorkflowFile>> candidates(std::string_view name) = 0;
};

}  // namespace baton::ports
