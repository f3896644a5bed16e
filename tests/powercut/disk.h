#pragma once
// Disk: what survives of the files of one folder when the power goes. It is fed every operation
// that reached the operating system, in order, and says what a cut at that moment can leave.
//
// The model, pessimistic where POSIX leaves room:
// - A write or truncate is certain only after a sync of its file has returned. Until then a cut
//   keeps any subset, in any order; a kept write may miss any of its 512-byte sectors, and any of
//   its sectors may turn to garbage.
// - A created or removed name is certain only after a sync of the folder. Until then a cut keeps
//   any subset of the changes. A sync of a file does not make its name certain. SQLite's unix VFS
//   syncs the folder at the first sync of a journal or WAL that it opened for creating, and when
//   it is asked to with a removal: CrashVfs reports those syncs, and no others. SQLite renames
//   nothing.
// - A write that is lost may still have lengthened the file, by zeros or by garbage.
// - A failed sync leaves what it should have synced in doubt for good: the system takes the pages
//   for clean, so that a later sync that succeeds has not written them.
// - A device profile takes some of that back, and SQLite is told: atomic sectors do not turn to
//   garbage; with safe append a file grows only over data that is there; on a sequential device
//   a prefix of all operations on all files survives, and only its last write is torn;
//   without powersafe overwrite garbage takes the whole device sector, synced neighbours included.
//
// A value; one thread at a time.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dice.h"

namespace baton::powercut {

using Bytes = std::vector<std::uint8_t>;
using Files = std::map<std::string, Bytes>;
using Inode = std::uint32_t;

inline constexpr std::int64_t tear_bytes = 512;

struct Profile {
  bool atomic_sector = false;
  bool safe_append = false;
  bool sequential = false;
  bool powersafe_overwrite = true;
  std::int64_t sector_bytes = 4096;  // as reported to SQLite

  static Profile drawn(Dice& dice);
  /// For sqlite3_io_methods::xDeviceCharacteristics.
  int characteristics() const;
  std::string text() const;
};

struct Op {
  enum class Kind : std::uint8_t {
    create,       // `name` now means `inode`
    remove,       // `name` means nothing
    write,        // `data` at `offset`
    truncate,     // to `offset` bytes
    sync,         // of the file
    sync_folder,  //
    sync_failed,  // of the file, which the caller was told
    sync_faked,   // of the file: the caller was told of success, and nothing was done
  };
  Kind kind = Kind::write;
  Inode inode = 0;
  std::int64_t offset = 0;
  Bytes data = {};
  std::string name = {};
};
using OpPtr = std::shared_ptr<const Op>;

class Disk {
 public:
  explicit Disk(Profile profile) : profile_(profile) {}

  void apply(OpPtr op);

  /// What a cut leaves when `in_flight` (may be null) had begun and not returned.
  Files cut(Dice& dice, const OpPtr& in_flight) const;

  /// What every process sees, and what survives the death of one.
  std::map<std::string, Inode> cached_names() const;
  Bytes cached(Inode inode) const;
  Files cached_files() const;
  Inode last_inode() const { return files_.empty() ? 0 : files_.rbegin()->first; }

  /// Writes and truncates of the file that a cut may undo: where the lowest begins, and how many
  /// bytes they have.
  struct Unsynced {
    std::int64_t ops = 0;
    std::int64_t first_offset = 0;
    std::int64_t bytes = 0;
  };
  Unsynced unsynced(Inode inode) const;
  /// Whether the name is certain to mean that file.
  bool is_name_certain(const std::string& name, Inode inode) const;

  const Profile& profile() const { return profile_; }

 private:
  struct Pending {
    OpPtr op;
    std::int64_t order = 0;  // among all operations
    bool is_doomed = false;  // a sync of it has failed
  };
  struct File {
    Bytes durable;
    std::vector<Pending> pending;
  };
  struct Damage;

  void sync(File& file);
  void sync_names();
  void damage_file(Bytes& file, std::vector<Pending> pending, const Damage& damage,
                   Dice& dice) const;
  void damaged_write(Bytes& file, const Op& op, const Damage& damage, Dice& dice) const;
  void garble(Bytes& file, std::int64_t from, std::int64_t to, Dice& dice) const;
  Files cut_sequential(Dice& dice, const OpPtr& in_flight) const;
  void tear(Bytes& file, const Op& op, Dice& dice) const;
  Files named(const std::map<std::string, Inode>& names, std::map<Inode, Bytes> contents) const;

  Profile profile_;
  std::int64_t order_ = 0;
  std::map<Inode, File> files_;
  std::map<std::string, Inode> names_;  // certain
  std::vector<Pending> pending_names_;
};

}  // namespace baton::powercut
