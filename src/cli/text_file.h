#pragma once
// Reading a file that the caller named, and writing one. NOT_FOUND when there is none; ENVIRONMENT
// when the machine does not let it be read or written.

#include <filesystem>
#include <string>

#include "base/core/result.h"
#include "cli/world.h"

namespace baton::cli {

/// The text of the file, or of standard input for "-". LIMIT_EXCEEDED past `bytes_max`.
Result<std::string> input_text(const World& world, const std::string& name, std::size_t bytes_max);

/// A workflow or a scenario; of one that is too long for its reader just so much that the reader
/// says so.
Result<std::string> workflow_text(const std::filesystem::path& path);

/// Makes a file for its owner alone; ENVIRONMENT when something has that name already.
Result<void> write_new_file(const std::filesystem::path& path, std::string_view text);

}  // namespace baton::cli
