#pragma once
// Every setting and attribute of git that names a program, each with a program that leaves a mark
// when it is run, and a command of git that runs it.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace baton::security {

struct GitProgram {
  std::string_view name;  // of the program, which is what it leaves as its mark
  /// Key and value in turns; "@" means the program's path, "%" for the folder it is in.
  std::vector<std::string_view> settings;
  /// What a shell does in the repository so that git runs it.
  std::string_view control;
  bool can_be_included = true;  // from another file than the repository's own
};

/// Those that the git of this machine runs.
const std::vector<GitProgram>& git_programs();

/// Settings that name programs of other releases of git, of its companions, or only where the owner
/// of the machine has set them: key and value in turns, as above.
const std::vector<std::string_view>& other_program_settings();

}  // namespace baton::security
