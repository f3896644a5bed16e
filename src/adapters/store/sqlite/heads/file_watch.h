#pragma once
// Whether the files that a store has open are still the ones at its path. A server whose file was
// replaced, removed or cut short would keep writing to a file that cannot be opened again. The
// writer's leader alone.

#include <array>
#include <optional>
#include <string>

#include "adapters/files/descriptor.h"
#include "adapters/store/sqlite/connection.h"

namespace baton::adapters::sqlite {

class FileWatch {
 public:
  /// Notes the files of a connection that has read already. STORE_REPLACED: they changed meanwhile.
  static Result<FileWatch> of(Connection& connection, const std::string& db);

  /// STORE_REPLACED when a file is another one, or shorter than it was. `wal_pages` are in the WAL.
  Result<void> check(std::int64_t wal_pages);

  /// Whether the store's file was written since this was last accepted. In WAL mode checkpoints
  /// write it and nothing else does.
  Result<bool> is_touched() const;
  void accept();

  /// Before a write, which would make a WAL that was cut short long again. STORE_REPLACED.
  Result<void> check_wal(std::int64_t wal_pages) const;

  /// Notes the end of the WAL after a commit of `wal_pages` pages in all. The header of a frame has
  /// a salt and a checksum over all frames before it.
  Result<void> note_frame(std::int64_t wal_pages);
  /// STORE_REPLACED when it is another one. REQUIRES: no process has written since it was noted.
  Result<void> check_frame() const;

  /// Whether a connection that was just opened has this watch's file. STORE_REPLACED.
  Result<void> check_same(Connection& connection) const;

 private:
  struct Identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool operator==(const Identity&) const = default;
  };
  struct File {
    std::string path;
    Descriptor handle = {};  // names the file and opens nothing, so that no lock hangs on it
    Identity identity = {};
  };
  struct Look {
    Identity identity;
    std::int64_t bytes = 0;
    std::int64_t changed_ns = 0;  // only if it was asked for; no caller can set it
  };
  enum class Ask : std::uint8_t { size, time };

  explicit FileWatch(const std::string& db);
  static std::optional<Look> look_at(int handle, const char* path, Ask ask);
  /// By its path, which must lead to the file that was there at first.
  Result<Look> look(const File& file) const;
  /// Of the file that was there at first, even if another one is at its path now.
  Result<Look> look_at_handle(const File& file, Ask ask = Ask::size) const;
  Result<void> check_names();

  // The store, its WAL, the WAL's index, the anchor key, the heads.
  std::array<File, 5> files_;
  File folder_;
  std::int64_t folder_seen_ns_ = 0;  // while it was not changed since, names lead to the same files
  std::int64_t bytes_seen_ = 0;      // the store's file never shrinks
  std::int64_t changed_ns_ = 0;      // the store's file, as accepted
  std::int64_t key_bytes_ = 0;
  std::int64_t heads_bytes_seen_ = 0;  // they never shrink
  std::int64_t page_bytes_ = 0;

  static constexpr std::size_t frame_header_bytes = 24;
  using FrameHeader = std::array<std::uint8_t, frame_header_bytes>;
  Result<FrameHeader> read_frame(std::int64_t page) const;
  Descriptor wal_;               // to read from; no lock of SQLite is on this file
  std::int64_t frame_page_ = 0;  // of the WAL, whose header was noted; 0: none
  FrameHeader frame_{};
};

/// A store and the files beside it that Baton or SQLite would use as they are: each must be a
/// regular file of this user, so that none was planted in a folder that others can write to.
/// ENVIRONMENT.
Result<void> check_companions(const std::string& db);

/// The same for one further database beside a store, before and after it is opened.
Result<void> check_planted(const std::string& file);

}  // namespace baton::adapters::sqlite
