#pragma once
// Which workflows may run commands on this machine, and where. It is the user's word about what was
// looked at: the workflow by its hash, the project by its folder, and the files of the project that
// the commands name by their content. Anything that changed must be reviewed again. Any thread.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/sha256.h"
#include "base/core/time.h"

namespace baton::ports {

/// A folder as one of its kind: another folder that takes its place is another project.
struct Project {
  std::string path;          // absolute, without links
  std::uint64_t device = 0;  // counts where the file system does not say when the folder was made
  std::uint64_t inode = 0;
  std::int64_t made_ns = 0;  // since 1970; 0: not known
  bool operator==(const Project&) const = default;
};

/// Device numbers may change when a machine starts again; when a folder was made does not.
inline bool is_same(const Project& one, const Project& other) {
  const bool is_dated = one.made_ns != 0 && other.made_ns != 0;
  return one.path == other.path && one.inode == other.inode &&
         (is_dated ? one.made_ns == other.made_ns : one.device == other.device);
}

struct TrustedFile {
  std::string path;  // from the project on; absolute when it is outside
  Sha256 digest;
  bool operator==(const TrustedFile&) const = default;
};

/// What a command says about files.
struct NamedFiles {
  std::string directory;                   // where it runs: absolute, or from the folder on
  std::vector<std::string> words;          // that may name files
  std::vector<std::string> programs = {};  // that name files only where PATH leads to
};

/// Whether a command may be run, and why it may not.
struct TrustVerdict {
  bool is_trusted = false;
  /// For people. Empty when the workflow was never trusted.
  std::string reason = {};
};

class Trust {
 public:
  virtual ~Trust() = default;

  /// Whether commands of the workflow may be run in `folder`, an absolute path; empty: that of the
  /// process. What other processes said meanwhile counts at once. On an error nothing is trusted.
  virtual Result<TrustVerdict> judge(const Sha256& workflow, const std::string& folder) = 0;

  /// The same for one command: every file that it names is as it was when it was looked at.
  virtual Result<TrustVerdict> judge(const Sha256& workflow, const std::string& folder,
                                     const NamedFiles& command) = 0;
};

struct TrustedWorkflow {
  Sha256 hash;
  std::string id;  // the workflow's name when it was trusted, for people
  WallMs since;
  /// None: trusted by a release that did not bind trust to a project; it counts for nothing.
  std::optional<Project> project = {};
  std::vector<TrustedFile> files = {};
  bool operator==(const TrustedWorkflow&) const = default;
};

/// What trusting a workflow for a folder would bind it to.
struct Binding {
  Project project;
  std::vector<TrustedFile> files;
};

/// Durable when they return, and no change of another process is lost.
class TrustAdmin : public Trust {
 public:
  /// ENVIRONMENT when there is no such folder, or a file that a command names cannot be read;
  /// LIMIT_EXCEEDED past limits::trusted_files_max and limits::trusted_file_bytes_max.
  virtual Result<Binding> look(const std::string& folder, std::span<const NamedFiles> commands) = 0;

  /// Those that were trusted one by one, the earliest first.
  virtual Result<std::vector<TrustedWorkflow>> list() = 0;

  /// Takes the place of what was said of the same workflow and project before, and of what was said
  /// of the workflow without a project. LIMIT_EXCEEDED past limits::trusted_workflows_max.
  virtual Result<void> add(const TrustedWorkflow& workflow) = 0;

  /// In every project. False when it was not trusted.
  virtual Result<bool> revoke(const Sha256& workflow) = 0;
};

}  // namespace baton::ports
