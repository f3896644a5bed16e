#pragma once
// Where a file of the project is, for tests that read or rewrite one. Only tests include this.

#include <string>
#include <string_view>

namespace baton {

/// The absolute path of a file named as git names it, `docs/cli.md`. cmake/Room.cmake defines it.
std::string project_file(std::string_view path);

}  // namespace baton
