#include "cli/workflow_places.h"

namespace baton::cli {

std::vector<WorkflowPlace> workflow_places(const Config& config) {
  std::vector<WorkflowPlace> out;
  const Surroundings& around = config.surroundings();
  const auto root_of = [&](std::string_view setting) {
    return config.effective(setting).is_projects ? around.project.string() : std::string();
  };
  for (const std::string& path : config.workflows()) {
    out.push_back({"extra", path, true, root_of("workflows")});
  }
  if (!config.content_dir().empty()) {
    out.push_back({"extra", config.content_dir() + "/workflows", false, root_of("content_dir")});
  }
  // In the home folder itself the project's folders are the user's.
  const bool is_home = around.project == around.home;
  const std::string project = is_home ? std::string() : around.project.string();
  for (const char* folder : {".baton/workflows", ".aromcp/workflows"}) {
    if (!around.project.empty()) {
      out.push_back({"project", (around.project / folder).string(), false, project});
    }
  }
  for (const char* folder : {".baton/workflows", ".aromcp/workflows"}) {
    if (!around.home.empty() && !is_home) {
      out.push_back({"user", (around.home / folder).string(), false});
    }
  }
  return out;
}

}  // namespace baton::cli
