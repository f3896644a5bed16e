#pragma once
// Which file or folder something is, independent of its path. Any thread.

#include <optional>
#include <string>

namespace baton::adapters {

/// The same text for the same file or folder as long as it exists: its device, its number there
/// and, where the file system knows it, its birth, because the numbers of removed ones are used
/// again. Nothing when it is not there. Links are followed.
std::optional<std::string> place_of(const std::string& path);

/// Of an open one.
std::optional<std::string> place_of(int descriptor);

}  // namespace baton::adapters
