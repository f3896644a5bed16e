#pragma once
// Where the store's file is, and the folder that holds it.

#include <filesystem>

#include "base/result.h"

namespace baton::cli {

/// Whether it is known where runs are kept: `store` is empty when neither a setting nor HOME says.
Result<void> check_store_place(const std::filesystem::path& store);

std::unexpected<Error> no_store_at(const std::filesystem::path& store);

/// Makes the folder that will hold `store`, with those above it, for the owner's eyes only (0700).
/// Folders that exist keep their rights.
Result<void> make_store_folder(const std::filesystem::path& store);

}  // namespace baton::cli
