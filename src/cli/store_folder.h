#pragma once
// The folder of the store's file.

#include <filesystem>

#include "base/result.h"

namespace baton::cli {

/// Makes the folder that will hold `store`, with those above it, for the owner's eyes only (0700).
/// Folders that exist keep their rights. REQUIRES: an absolute path.
Result<void> make_store_folder(const std::filesystem::path& store);

}  // namespace baton::cli
