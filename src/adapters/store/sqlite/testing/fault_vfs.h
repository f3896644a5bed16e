#pragma once
// A sqlite3_vfs over SQLite's own that counts every file operation and can make any of them fail.
// For tests: open a store with SqliteOptions::vfs set to its name. Any thread.
//
// The fault model: an operation fails with the result code that the real one would give, before it
// did anything; a failing write may first leave half of its bytes behind, as a full disk does. A
// failure can be for once, for a number of times or until heal(). What was written stays written:
// losing unsynced bytes is the business of a separate crash VFS.

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/thread_safety.h"

namespace baton::adapters::sqlite::testing {

enum class FileOp : std::uint8_t {
  open,
  remove,
  read,
  write,
  truncate,
  sync,
  size,
  lock,
  unlock,
  shm_map,
  shm_lock,
};
inline constexpr std::size_t file_op_count = 11;

/// What the operating system's refusal of this operation looks like to SQLite.
int usual_failure(FileOp op);

/// One operation on a file, as a hook sees it before it happens.
struct FileCall {
  FileOp op = FileOp::read;
  std::string_view path;
};

class FaultVfs {
 public:
  /// Registers itself under `name`, which must be unique in the process.
  explicit FaultVfs(std::string name);
  /// REQUIRES: no file of it is open.
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  const std::string& name() const { return name_; }

  struct Fault {
    std::optional<FileOp> op = std::nullopt;  // none: any operation
    std::int64_t nth = 1;                     // from now; 1 is the next
    std::int64_t times = 1;                   // how many in a row fail; forever: INT64_MAX
    std::optional<int> rc = std::nullopt;     // none: the usual failure of the operation
    bool writes_half = false;                 // a failing write leaves its first half
  };
  static constexpr std::int64_t forever = INT64_MAX;

  /// One fault at a time; a new one takes the place of the old.
  void fail(Fault fault);
  void heal();

  /// Asked before every operation, under no lock of SQLite's own making; SQLITE_OK lets it pass.
  /// A test may end the process in it. An empty function takes the hook away.
  void set_hook(std::function<int(const FileCall&)> hook);

  /// While true, every file opens for reading only and writes give SQLITE_READONLY.
  void set_read_only(bool is_read_only);

  /// Operations that were asked for so far, failed ones included.
  std::int64_t count(FileOp op) const;
  std::int64_t count_all() const;
  /// Operations that met a fault.
  std::int64_t failures() const;

 private:
  friend struct FaultFile;
  friend struct FaultMethods;

  struct Verdict {
    int rc = SQLITE_OK;
    bool writes_half = false;
  };
  Verdict meet(const FileCall& call);

  std::string name_;
  sqlite3_vfs* real_;
  sqlite3_vfs vfs_{};
  mutable Mutex mutex_;
  std::array<std::int64_t, file_op_count> counts_ GUARDED_BY(mutex_){};
  std::int64_t failures_ GUARDED_BY(mutex_) = 0;
  std::optional<Fault> fault_ GUARDED_BY(mutex_);
  std::function<int(const FileCall&)> hook_ GUARDED_BY(mutex_);
  bool is_read_only_ GUARDED_BY(mutex_) = false;
};

}  // namespace baton::adapters::sqlite::testing
