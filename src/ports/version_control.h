#pragma once
// Version control in two halves: the state of a repository, which any caller may read, and the
// description of the current change, where a plan lives. Any thread; a call may take as long as a
// command does.

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace baton::ports {

/// The state of a folder's repository. What could not be read is empty.
struct RepositoryState {
  std::string root;      // absolute path of the work tree
  std::string branch;    // empty: detached, or nothing is committed yet
  std::string head_sha;  // lower-case hexadecimal
  bool operator==(const RepositoryState&) const = default;
};

class RepositoryReader {
 public:
  virtual ~RepositoryReader() = default;

  /// Never fails and takes at most limits::repository_look_ms_max: for any obstacle, the
  /// repository is not seen.
  virtual RepositoryState look(const std::string& folder) = 0;

  /// Whether there is something at `path` beneath `folder`. Nothing above it is looked at, and no
  /// link is followed.
  virtual bool has_file(const std::string& folder, std::string_view path) = 0;
};

/// What was read, and enough to tell whether it is still there.
struct Description {
  std::string place;  // for people: "the description of the git branch 'main'"
  std::string owner;  // the branch, change or file it belongs to; no other project's has the same
  std::string text;   // empty when there is none
  bool operator==(const Description&) const = default;
};

struct ChangedFile {
  char status = 'M';  // A added, M modified, D deleted, R renamed, ? unknown to version control
  std::string path;
  bool operator==(const ChangedFile&) const = default;
};

struct ChangedFiles {
  std::vector<ChangedFile> files;  // at most limits::plan_changed_files_max
  bool more = false;               // there are others
};

enum class Replaced { yes, changed_meanwhile };

class VersionControl {
 public:
  virtual ~VersionControl() = default;

  virtual Result<Description> read() = 0;

  /// Writes `text` if the description still is what `expected` says; otherwise, and on an error,
  /// nothing is changed. History is not rewritten and no file of the project is touched.
  virtual Result<Replaced> replace(const Description& expected, std::string_view text) = 0;

  virtual Result<ChangedFiles> changed_files() = 0;
};

}  // namespace baton::ports
