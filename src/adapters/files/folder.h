#pragma once
// A folder whose files are opened beneath it: no link is followed, no path leads out. Any thread.

#include <optional>
#include <string>
#include <vector>

#include "adapters/files/descriptor.h"
#include "ports/workflow_source.h"

namespace baton::adapters {

class Folder {
 public:
  /// Nothing when there is none, unless it must exist. `root` is a folder around it that others
  /// fill, such as a project: from there on no link is followed either. Empty: the user named the
  /// path and may have linked it.
  static Result<std::optional<Folder>> open(const std::string& path, bool must_exist,
                                            const std::string& root = {});

  /// The regular files at most `depth` folders down whose names end in one of `endings`, sorted;
  /// names that begin with a dot are left out. LIMIT_EXCEEDED past limits::workflow_files_max.
  Result<std::vector<std::string>> names(std::span<const std::string_view> endings,
                                         std::size_t depth) const;

  /// Nothing when there is no regular file of that name.
  std::optional<ports::FileStamp> stamp(const std::string& name) const;

  /// The text, at most one byte more than a workflow may have; nothing when there is no such file.
  Result<std::optional<std::string>> text(const std::string& name) const;

 private:
  Folder(std::string path, Descriptor opened)
      : path_(std::move(path)), opened_(std::move(opened)) {}

  Result<void> list(const std::string& below, std::span<const std::string_view> endings,
                    std::size_t depth, std::vector<std::string>& out) const;

  std::string path_;
  Descriptor opened_;
};

}  // namespace baton::adapters
