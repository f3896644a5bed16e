#pragma once
// The folders that workflows come from, highest first: extra, project, user.

#include <string>
#include <vector>

#include "cli/config.h"

namespace baton::cli {

struct WorkflowPlace {
  std::string source;
  std::string path;
  bool must_exist = false;
  std::string root = {};  // the project that it is part of; empty when the user named it
};

std::vector<WorkflowPlace> workflow_places(const Config& config);

}  // namespace baton::cli
