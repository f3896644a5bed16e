#pragma once
// Files of a folder that others fill, as a project is: no path leads out of the folder, no symbolic
// link is followed on the way, and nothing but a regular file is read. Any thread.

#include <optional>
#include <string>
#include <string_view>

#include "adapters/files/descriptor.h"

namespace baton::adapters {

/// Opens `path` beneath the folder `root`, closed on exec and without waiting. Not open, with
/// errno: ELOOP for a symbolic link anywhere on the way, EXDEV for a path that leads out.
Descriptor open_beneath(int root, std::string_view path, int flags);

/// The same, one step after the other: for kernels that have no openat2().
Descriptor open_by_steps(int root, std::string_view path, int flags);

/// The whole content. Nothing when it is not a regular file, has more than `bytes_max` or cannot be
/// read.
std::optional<std::string> content_of(const Descriptor& file, std::size_t bytes_max);

}  // namespace baton::adapters
