#include "adapters/store/sqlite/sqlite_store.h"

#include <unistd.h>

#include "adapters/files/private_file.h"
#include "adapters/store/sqlite/check/audit.h"
#include "adapters/store/sqlite/maintenance.h"
#include "base/text/text.h"

namespace baton::adapters {

using sqlite::Connection;

SqliteStore::SqliteStore(sqlite::Where where, const SqliteOptions& options)
    : where_(std::move(where)),
      pages_max_(options.pages_max),
      migrations_(options.migrations),
      readers_([this] { return open_reader(); }, limits::store_readers_max,
               [this](Connection& reader) { return check_in_place(reader); }) {}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(std::string path, SqliteOptions options) {
  sqlite::Where where{std::move(path), options.vfs, options.busy_ms_max};
  std::unique_ptr<SqliteStore> store(new SqliteStore(std::move(where), options));
  if (store->where_.vfs.empty()) {
    TRY(sqlite::check_companions(store->where_.path));
    make_store_file(store->where_.path);
  }
  sqlite::Opened opened = TRY(sqlite::open_file(store->where_, options.migrations, store->health_));
  // A file that is not the system's own has no place for a bell.
  if (store->where_.vfs.empty())
    store->bell_ = sqlite::CommitSignal::open(store->where_.path + "-bell");
  opened.connection->wait_by(store->bell_.get());
  sqlite::StoreWriter::Setup setup;
  setup.bell = store->bell_.get();
  setup.connection = TRY(store->limit_pages(std::move(opened.connection)));
  setup.reopen = [self = store.get()] { return self->open_writer(); };
  setup.open_reader = [self = store.get()] { return self->open_reader(); };
  setup.health = &store->health_;
  setup.wal_pages_ceiling = options.wal_pages_ceiling;
  if (!opened.is_newer) TRY(store->guard(*setup.connection, options.migrations));
  setup.anchors = store->anchors_.get();
  setup.watch = store->watch_ ? &*store->watch_ : nullptr;
  if (store->anchors_) setup.refusal = store->anchors_->refusal();
  if (opened.is_newer) {
    store->refusal_ =
        Error::make(Code::STORE_NEWER, cat(store->where_.path, " was written by a newer release"),
                    "use that release; this one only reads the file");
    setup.refusal = store->refusal_;
  }
  store->writer_ = std::make_unique<sqlite::StoreWriter>(std::move(setup));
  return store;
}

/// From here on the store notices what is done to its files from outside.
Result<void> SqliteStore::guard(Connection& connection, std::span<const sqlite::Migration> steps) {
  if (!where_.vfs.empty() || steps.back().to < sqlite::anchored_version) return {};
  auto anchors = sqlite::Anchors::open(connection, where_.path);
  // What is damaged can still be read; Health knows already and refuses to write.
  if (!anchors && anchors.error().code == Code::STORE_CORRUPT) return {};
  anchors_ = TRY(std::move(anchors));
  connection.seal_by(key());
  if (!connection.is_read_only() && !anchors_->refusal()) {
    watch_ = TRY(sqlite::FileWatch::of(connection, where_.path));
    if (!anchors_->is_in_place()) {
      return fail(Code::STORE_REPLACED,
                  cat("the heads of ", where_.path, " were replaced while it was opened"),
                  "start again");
    }
  }
  // Once more, for what was planted while the files were opened.
  return sqlite::check_companions(where_.path);
}

Result<std::unique_ptr<Connection>> SqliteStore::limit_pages(
    std::unique_ptr<Connection> connection) {
  if (pages_max_ > 0) TRY(connection->run(cat("PRAGMA max_page_count=", pages_max_)));
  return connection;
}

Result<std::unique_ptr<Connection>> SqliteStore::open_writer() {
  // The connections of a process share what they know of the file. As long as one is open that
  // found it read-only, the others find it so too.
  readers_.close_idle();
  auto connection = TRY(Connection::open(where_, sqlite::Access::write, health_));
  connection->wait_by(bell_.get());
  TRY(connection->sync_wal());
  connection->seal_by(key());
  if (!connection->is_read_only()) {
    TRY(sqlite::prepare_to_write(*connection));
    if (watch_) TRY(watch_->check_same(*connection));
  }
  return limit_pages(std::move(connection));
}

Result<std::unique_ptr<Connection>> SqliteStore::open_reader() {
  auto opened = Connection::open(where_, sqlite::Access::read, health_);
  if (opened) {
    if (auto ready = sqlite::prepare_to_read(**opened); !ready) {
      opened = std::unexpected(std::move(ready).error());
    }
  }
  if (!opened && watch_ && ::access(where_.path.c_str(), F_OK) != 0) {
    return std::unexpected(
        sqlite::replaced(cat(where_.path, " was removed while this process had it open")));
  }
  auto connection = TRY(std::move(opened));
  connection->seal_by(key());
  TRY(check_in_place(*connection));
  return connection;
}

std::uint64_t SqliteStore::heard_of_others() {
  return bell_ != nullptr ? bell_->rings_of_others() : ++unheard_;
}

Result<void> SqliteStore::check_in_place(Connection& reader) const {
  // What this process still sees may be in no file that another process opens, the commit that was
  // refused for it included: to read it back would acknowledge it.
  const auto stopped = health_.stopped();
  if (stopped && stopped->code == Code::STORE_REPLACED) return std::unexpected(*stopped);
  return watch_ ? watch_->check_same(reader) : Result<void>();
}

Result<ports::AppendOutcome> SqliteStore::append(run::CommitDraft draft) {
  TRY(prepare(draft));
  return writer_->append(std::move(draft));
}

Result<void> SqliteStore::append_all(std::vector<run::CommitDraft> drafts) {
  TRY(prepare_all(drafts));
  return writer_->run([&](Connection& connection) { return append_log(connection, drafts); });
}

Result<ports::PurgeOutcome> SqliteStore::purge(const SessionId& session, run::Seq expected,
                                               WallMs at) {
  // Nearly all uses are noted before, a part at a time, so that no writer waits long.
  for (bool is_noted = false; !is_noted;) {
    TRY(writer_->run([&](Connection& connection) -> Result<void> {
      is_noted = TRY(sqlite::note_uses(connection, limits::content_scan_commits));
      return {};
    }));
  }
  ports::PurgeOutcome outcome;
  TRY(writer_->run([&](Connection& connection) -> Result<void> {
    outcome = TRY(sqlite::purge(connection, session, expected, at));
    return {};
  }));
  return outcome;
}

Result<void> SqliteStore::rebuild() {
  return writer_->run([](Connection& connection) { return sqlite::rebuild(connection); });
}

Result<std::int64_t> SqliteStore::accept_loss() {
  if (!anchors_) return fail(Code::STORE_READ_ONLY, "this store has no heads to compare it with");
  if (!anchors_->refusal()) {
    return fail(Code::INVALID_INPUT, "the store lost nothing that its heads know of",
                "use it as it is; `baton verify` checks all of it");
  }
  const auto connection = TRY(open_writer());
  if (connection->is_read_only()) {
    return fail(Code::STORE_READ_ONLY, cat(where_.path, " cannot be written"),
                "make the file and its folder writable");
  }
  return anchors_->begin_epoch(*connection, "accepted");
}

Result<std::unique_ptr<ports::StoreAudit>> SqliteStore::audit() {
  if (refusal_) return std::unexpected(*refusal_);
  return sqlite::begin_audit(where_, migrations_, anchors_.get());
}

}  // namespace baton::adapters
