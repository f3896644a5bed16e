#include "cli/workflow_places.h"

namespace baton::cli {

std::vector<WorkflowPlace> workflow_places(const Config& config) {
  std::vector<WorkflowPlace> out;
  for (const std::string& path : config.workflows()) out.push_back({"extra", path, true});
  if (!config.content_dir().empty()) {
    out.push_back({"extra", config.content_dir() + "/workflows", false});
  }
  const Surroundings& around = config.surroundings();
  for (const char* folder : {".baton/workflows", ".aromcp/workflows"}) {
    if (!around.project.empty()) {
      out.push_back({"project", (around.project / folder).string(), false});
    }
  }
  for (const char* folder : {".baton/workflows", ".aromcp/workflows"}) {
    // In the home folder itself the project's folders are the user's.
    if (!around.home.empty() && around.home != around.project) {
      out.push_back({"user", (around.home / folder).string(), false});
    }
  }
  return out;
}

}  // namespace baton::cli
