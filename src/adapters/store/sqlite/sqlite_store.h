#pragma once
// The EventStore in one SQLite file that many processes may share. WAL with synchronous=FULL: an
// append returns when its commit is on the disk. Any thread.
//
// The file is made when it is missing (0600, new folders 0700). A file of a newer release opens,
// but every append gives STORE_NEWER; one that is older than its heads likewise STORE_ROLLED_BACK.
// After a failed sync, a sign of corruption or a file that was replaced every append gives that
// error, and reads continue as far as they can.

#include <memory>
#include <span>
#include <string>

#include "adapters/store/sqlite/schema.h"
#include "adapters/store/sqlite/sqlite_reads.h"
#include "adapters/store/sqlite/write/writer.h"
#include "base/core/limits.h"

namespace baton::adapters {

struct SqliteOptions {
  std::string vfs = {};  // the name of a registered sqlite3_vfs; empty: SQLite's own
  std::int64_t busy_ms_max = limits::store_busy_ms_max;
  std::int64_t pages_max = 0;  // of the file; 0: SQLite's own bound
  std::int64_t wal_pages_ceiling = limits::store_wal_pages_ceiling;
  std::span<const sqlite::Migration> migrations = sqlite::migrations();
};

class SqliteStore : public SqliteReads<ports::EventStore> {
 public:
  static Result<std::unique_ptr<SqliteStore>> open(std::string path, SqliteOptions options = {});

  Result<ports::AppendOutcome> append(run::CommitDraft draft) override;
  Result<void> append_all(std::vector<run::CommitDraft> drafts) override;
  Result<ports::PurgeOutcome> purge(const SessionId& session, run::Seq expected,
                                    WallMs at) override;
  Result<void> rebuild() override;
  Result<std::unique_ptr<ports::StoreAudit>> audit() override;

  /// Takes a store that is older than its heads as it is: begins a new, recorded epoch, whose
  /// number it gives, and keeps the old heads. Writing works again after the next open.
  Result<std::int64_t> accept_loss();

  /// Another number than before when another process has written; maybe another when none has.
  std::uint64_t heard_of_others();

  /// Groups, appends and checkpoints so far.
  sqlite::WriterCounts counts() { return writer_->counts(); }

 protected:
  sqlite::ReaderPool& readers() override { return readers_; }

 private:
  SqliteStore(sqlite::Where where, const SqliteOptions& options);
  Result<void> guard(sqlite::Connection& connection, std::span<const sqlite::Migration> steps);
  const sqlite::AnchorKey* key() const { return anchors_ ? anchors_->key() : nullptr; }
  Result<std::unique_ptr<sqlite::Connection>> open_writer();
  Result<std::unique_ptr<sqlite::Connection>> open_reader();
  /// STORE_REPLACED when the file of this connection is not at the store's path any more, or when a
  /// file beside it was found not to be.
  Result<void> check_in_place(sqlite::Connection& reader) const;
  Result<std::unique_ptr<sqlite::Connection>> limit_pages(
      std::unique_ptr<sqlite::Connection> connection);

  sqlite::Where where_;
  std::int64_t pages_max_;
  std::span<const sqlite::Migration> migrations_;
  std::optional<Error> refusal_;  // why nothing can be written to this file at all
  sqlite::Health health_;
  std::unique_ptr<sqlite::CommitSignal> bell_;
  std::atomic<std::uint64_t> unheard_ = 0;  // how often was asked without a bell
  // None: the file is not the system's own, or too old to have them.
  std::unique_ptr<sqlite::Anchors> anchors_;
  std::optional<sqlite::FileWatch> watch_;
  // Declared in this order: the readers close before the writer, which then can tidy up the file.
  std::unique_ptr<sqlite::StoreWriter> writer_;
  sqlite::ReaderPool readers_;
};

}  // namespace baton::adapters
