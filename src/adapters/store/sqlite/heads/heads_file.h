#pragma once
// `<db>.heads`: the last commit of each session, kept apart from the store, so that a store which
// lost commits is noticed. docs/formats/heads.md has the bytes.
//
// Records have a fixed size and two slots, each sealed. A write replaces the older slot in place,
// so that one cut short leaves the other. Nothing here syncs but `sync` and `create`: after a power
// cut the file may be behind the store, never ahead of it.
//
// One thread at a time; processes take turns by `Lock`.

#include <array>
#include <optional>
#include <string>
#include <unordered_map>

#include "adapters/files/descriptor.h"
#include "adapters/store/sqlite/heads/anchor_key.h"
#include "base/core/result.h"
#include "run/log/rows.h"

namespace baton::adapters::sqlite {

using StoreId = std::array<std::uint8_t, 16>;

/// The last known commit of one session.
struct AnchoredHead {
  SessionId session;
  run::Seq seq;
  run::CommitNo commit;
  Sha256 hash;
  std::int64_t numbers = 0;  // digest of the numbers of its commits, which no hash covers
  bool operator==(const AnchoredHead&) const = default;
};

/// The digest of one number more. 0: of none.
std::int64_t with_number(std::int64_t numbers, run::CommitNo commit);

/// Of which store the file is, and how far: every commit up to `commit` has been noted.
struct AnchorMark {
  StoreId store{};
  std::int64_t epoch = 0;
  run::CommitNo commit;
  Sha256 hash;                // of that commit; zero when there was none
  run::CommitNo synced = {};  // every record up to it was on the disk before this was written
  bool operator==(const AnchorMark&) const = default;
};

class HeadsFile {
 public:
  static std::string path_of(const std::string& db) { return db + ".heads"; }

  /// NOT_FOUND, or ENVIRONMENT when it cannot be used. `key` must outlive the file.
  static Result<HeadsFile> open(std::string path, const AnchorKey& key, uid_t store_owner);

  /// Makes a file with this mark and no records, durable, unless there is one already.
  static Result<void> create(const std::string& path, const AnchorKey& key, const AnchorMark& mark);

  /// Held while a process reads and writes several slots.
  class Lock {
   public:
    explicit Lock(int file) : file_(file) {}
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock();

   private:
    int file_;
  };
  Result<std::unique_ptr<Lock>> lock();

  /// Nothing: neither slot is sound.
  Result<std::optional<AnchorMark>> mark();
  Result<std::optional<AnchoredHead>> head(std::int64_t anchor);
  /// The record numbers are below this.
  Result<std::int64_t> records_end();

  // REQUIRES: the lock is held, and what was read of the mark or record before was read under it.
  Result<void> write(const AnchorMark& mark);
  Result<void> write(std::int64_t anchor, const AnchoredHead& head);

  /// Makes durable what was written, and says in the mark up to which commit that is. Takes the
  /// lock.
  Result<void> sync();

  /// Whether the file at its path is still this one.
  bool is_in_place() const;
  const std::string& path() const { return path_; }

 private:
  static constexpr std::size_t slot_bytes = 128;
  using Slot = std::array<std::uint8_t, slot_bytes>;
  struct Record {
    std::array<Slot, 2> slots{};
  };

  struct SeenHead {
    Record record;
    std::array<std::optional<AnchoredHead>, 2> heads;
  };

  HeadsFile(std::string path, Descriptor file, const AnchorKey& key)
      : path_(std::move(path)), file_(std::move(file)), key_(&key) {}

  static Slot slot_of(const AnchorMark& mark);
  Slot sealed(std::int64_t record, Slot slot) const;
  bool is_sound(std::int64_t record, const Slot& slot) const;
  /// The whole record; zeros past the end of the file.
  Result<Record> read(std::int64_t record);
  Result<SeenHead*> look(std::int64_t anchor);
  Result<void> put(std::int64_t record, int slot, const Slot& bytes);
  /// Which slot to write next: the one that is unsound or older.
  template <class Value>
  static int older_slot(const std::array<std::optional<Value>, 2>& values);
  std::array<std::optional<AnchorMark>, 2> marks_in(const Record& record) const;
  std::array<std::optional<AnchoredHead>, 2> heads_in(std::int64_t anchor,
                                                      const Record& record) const;

  std::string path_;
  Descriptor file_;
  const AnchorKey* key_;
  // What was read or written last and what it says, so that a process alone computes no seal to
  // read what it wrote itself.
  Record seen_header_;
  std::array<std::optional<AnchorMark>, 2> seen_marks_;
  std::unordered_map<std::int64_t, SeenHead> seen_heads_;  // by anchor
};

}  // namespace baton::adapters::sqlite
