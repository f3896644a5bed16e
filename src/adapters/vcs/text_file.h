#pragma once
// Small text files that others change too: read whole, written durably in one step, locked.

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/files/descriptor.h"
#include "base/core/result.h"

namespace baton::adapters {

struct FileText {
  std::string text;
  mode_t mode = 0644;
};

/// Whether the file may be a link to another one.
enum class Links : std::uint8_t { followed, refused };

/// Nothing when there is no such file. LIMIT_EXCEEDED past `bytes_max`.
Result<std::optional<FileText>> read_file(const std::filesystem::path& path, std::size_t bytes_max,
                                          Links links = Links::followed);

/// A new file beside `path`, with this content. Gives its path.
Result<std::filesystem::path> write_beside(const std::filesystem::path& path,
                                           const FileText& content);

/// Syncs `from`, puts it in the place of `to` and syncs their folder.
Result<void> move_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Held by one process and thread at a time, and let go with this or with the process.
class FileLock {
 public:
  /// Waits up to limits::plan_lock_ms_max; then PLAN_BUSY.
  static Result<FileLock> take(const std::filesystem::path& path);

  /// The same for a file or folder that is there, which is only opened for reading.
  static Result<FileLock> take_existing(const std::filesystem::path& path, std::int64_t ms_max);

 private:
  static Result<FileLock> wait(Descriptor file, const std::filesystem::path& path,
                               std::int64_t ms_max);

  explicit FileLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

/// How long to wait before looking at a lock again.
void wait_for_lock();

}  // namespace baton::adapters
