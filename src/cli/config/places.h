#pragma once
// Where things are on this machine: the store's file, the folder that holds it, and the folders of
// workflows.

#include <filesystem>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "cli/config/config.h"

namespace baton::cli {

/// Whether it is known where runs are kept: `store` is empty when neither a setting nor HOME says.
Result<void> check_store_place(const std::filesystem::path& store);

std::unexpected<Error> no_store_at(const std::filesystem::path& store);

/// Makes the folder that will hold `store`, with those above it, for the owner's eyes only (0700).
/// Folders that exist keep their rights.
Result<void> make_store_folder(const std::filesystem::path& store);

struct WorkflowPlace {
  std::string source;
  std::string path;
  bool must_exist = false;
  std::string root = {};  // the project that it is part of; empty when the user named it
};

/// The folders that workflows come from, highest first: extra, project, user.
std::vector<WorkflowPlace> workflow_places(const Config& config);

}  // namespace baton::cli
