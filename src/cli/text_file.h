#pragma once
// Reading a file that is taken for a workflow or a scenario.

#include <filesystem>
#include <string>

#include "base/result.h"

namespace baton::cli {

/// The text; of one that is too long for its reader just so much that the reader says so.
Result<std::string> workflow_text(const std::filesystem::path& path);

}  // namespace baton::cli
