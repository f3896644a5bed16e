#pragma once
// What trust is bound to, as it is now: the folder of a project, and the files that commands name.

#include <span>
#include <string>

#include "ports/trust.h"

namespace baton::adapters {

/// ENVIRONMENT when there is no such folder. An empty one is the process's own.
Result<ports::Project> project_at(const std::string& folder);

/// What a command finds files by, besides its words.
struct CommandVariables {
  std::string path = {};  // PATH
  std::string home = {};  // HOME; empty: `~` is a word like any other
};

/// Every regular file that a word names, sorted by path: from the command's folder on, from the
/// folders that it may change to by words of its own, one after the other, and from the folders of
/// PATH that are in the project. An absolute path counts when it leads into the project. Links are
/// followed: what counts is what would be read, by the name that the system has for it.
/// ENVIRONMENT for what is neither a file nor a folder, or cannot be read; LIMIT_EXCEEDED past
/// limits::trusted_files_max or limits::trusted_file_bytes_max, or for more folders than a quarter
/// of the first.
Result<std::vector<ports::TrustedFile>> files_named(const ports::Project& project,
                                                    std::span<const ports::NamedFiles> commands,
                                                    const CommandVariables& variables);

}  // namespace baton::adapters
