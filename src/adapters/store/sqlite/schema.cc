#include "adapters/store/sqlite/schema.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

// The log, its contents and what is indexed about it. A session's number is that of its first
// commit and a run's that of the commit that started it, so that a rebuild gives the same numbers.
// A node is void when its commit is not after its run's `revoked_to`: revoking is one small write.
// Every index costs an advance a page, so there are few: a node's children are the outcomes of the
// attempts at it and those it adopted. Runs are listed by epochs of their last commit, which change
// rarely, and sorted within one. Which session
// refers to which content is noted only when a session is to be removed, up to a commit that is
// kept, so that each commit is looked through once in its life and an advance pays nothing.
constexpr const char* version_1 = R"sql(
CREATE TABLE sessions(
  session_no INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE
) STRICT;
CREATE TABLE commits(
  commit_no INTEGER PRIMARY KEY,
  session_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  dedupe_key TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  previous BLOB NOT NULL,
  hash BLOB NOT NULL,
  body TEXT NOT NULL,
  UNIQUE(session_no, seq),
  UNIQUE(session_no, dedupe_key)
) STRICT;
CREATE TABLE purged(
  session BLOB NOT NULL UNIQUE,
  last_commit_no INTEGER NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX purged_by_commit ON purged(last_commit_no);
CREATE TABLE tombstones(
  node_no INTEGER PRIMARY KEY,
  node_id BLOB NOT NULL,
  open_steps TEXT NOT NULL
) STRICT;
CREATE TABLE blobs(
  hash BLOB NOT NULL UNIQUE,
  data BLOB NOT NULL
) STRICT;
CREATE TABLE workflows(
  hash BLOB NOT NULL UNIQUE,
  data BLOB NOT NULL
) STRICT;
CREATE TABLE snapshots(
  node_no INTEGER PRIMARY KEY,
  data BLOB NOT NULL
) STRICT;
CREATE TABLE runs(
  run_no INTEGER PRIMARY KEY,
  run_id BLOB NOT NULL UNIQUE,
  session_no INTEGER NOT NULL,
  workflow_id TEXT NOT NULL,
  workflow_hash BLOB NOT NULL,
  goal TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  last_commit INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  tip INTEGER NOT NULL,
  is_complete INTEGER NOT NULL,
  nodes INTEGER NOT NULL,
  revoked_to INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_epoch ON runs(epoch);
CREATE TABLE nodes(
  node_no INTEGER PRIMARY KEY,
  node_id BLOB NOT NULL UNIQUE,
  run_no INTEGER NOT NULL,
  parent INTEGER,
  depth INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  open_steps TEXT NOT NULL,
  settled_step TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  snapshot INTEGER,
  path_events INTEGER NOT NULL,
  path_bytes INTEGER NOT NULL
) STRICT;
CREATE TABLE attempts(
  node_no INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  count INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  PRIMARY KEY(node_no, kind, ordinal, count)
) STRICT, WITHOUT ROWID;
CREATE TABLE adopted(
  parent INTEGER NOT NULL,
  child INTEGER NOT NULL,
  PRIMARY KEY(parent, child)
) STRICT, WITHOUT ROWID;
CREATE TABLE content_uses(
  session_no INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY(session_no, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX content_users ON content_uses(hash);
CREATE TABLE content_noted(
  to_commit INTEGER NOT NULL
) STRICT;
INSERT INTO content_noted(to_commit) VALUES(0);

CREATE TRIGGER commits_are_final BEFORE UPDATE ON commits BEGIN
  SELECT RAISE(ABORT, 'commits are append-only');
END;
CREATE TRIGGER commits_stay BEFORE DELETE ON commits
WHEN NOT EXISTS(SELECT 1 FROM purged WHERE session =
                (SELECT id FROM sessions WHERE session_no = OLD.session_no)) BEGIN
  SELECT RAISE(ABORT, 'commits go only with their whole purged session');
END;
CREATE TRIGGER blobs_are_final BEFORE UPDATE ON blobs BEGIN
  SELECT RAISE(ABORT, 'blobs are append-only');
END;
CREATE TRIGGER workflows_are_final BEFORE UPDATE ON workflows BEGIN
  SELECT RAISE(ABORT, 'workflows are append-only');
END;
)sql";

/// The run whose task a run carries out.
constexpr const char* version_2 = "ALTER TABLE runs ADD COLUMN parent BLOB";

/// Anchors: each session has a record in the heads file, and what no hash covers has a seal. A
/// server of 0.1.0 that was running during the upgrade begins no session without a record. An epoch
/// begins when the store is made, first anchored, or taken over from an older copy.
constexpr const char* version_3 = R"sql(
ALTER TABLE sessions ADD COLUMN anchor INTEGER;
CREATE UNIQUE INDEX sessions_by_anchor ON sessions(anchor);
ALTER TABLE purged ADD COLUMN anchor INTEGER;
ALTER TABLE purged ADD COLUMN seal BLOB;
CREATE UNIQUE INDEX purged_by_anchor ON purged(anchor);
ALTER TABLE tombstones ADD COLUMN anchor INTEGER;
CREATE INDEX tombstones_by_anchor ON tombstones(anchor);
ALTER TABLE snapshots ADD COLUMN seal BLOB;
CREATE TABLE epochs(
  epoch INTEGER PRIMARY KEY,
  store BLOB NOT NULL,
  after_commit INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  cause TEXT NOT NULL,
  unnamed BLOB NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE TRIGGER sessions_are_anchored BEFORE INSERT ON sessions WHEN NEW.anchor IS NULL BEGIN
  SELECT RAISE(ABORT, 'a newer release has upgraded this store; restart this server with it');
END;
)sql";

constexpr Migration all[] = {{1, version_1}, {2, version_2}, {3, version_3}};

constexpr int backup_tries_max = 8;

// An advance touches a page of each of eight trees, so its commit is mostly what did not change in
// them. Small pages make it a third as long.
constexpr int page_bytes = 1024;

/// The versions of the file. Zero everywhere: it is new.
struct FileVersions {
  std::int64_t application = 0;
  std::int64_t version = 0;
  std::int64_t objects = 0;

  bool is_new() const { return application == 0 && version == 0 && objects == 0; }
};

Result<FileVersions> standing_of(Connection& connection) {
  FileVersions out;
  // In this order: a file that is just being made shows its tables no later than its mark.
  out.application = TRY(connection.number("PRAGMA application_id"));
  out.version = TRY(connection.number("PRAGMA user_version"));
  out.objects = TRY(connection.number("SELECT count(*) FROM sqlite_schema"));
  return out;
}

std::unexpected<Error> environment(std::string_view what, const std::string& path) {
  return fail(Code::ENVIRONMENT, cat(what, ' ', path, ": ", std::strerror(errno)),
              "choose another place with --db");
}

Result<void> sync_path(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) return environment("cannot open", path);
  const int rc = ::fsync(file);
  ::close(file);
  if (rc != 0) return environment("cannot sync", path);
  return {};
}

/// Makes the missing folders above the file, for their owner alone, and makes them last.
Result<void> make_folders(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::filesystem::path built;
  for (const std::filesystem::path& part : folder) {
    const std::filesystem::path above = built.empty() ? std::filesystem::path(".") : built;
    built /= part;
    struct stat found{};
    if (::stat(built.c_str(), &found) == 0) {
      if (S_ISDIR(found.st_mode)) continue;
      errno = ENOTDIR;
      return environment("cannot use", built.string());
    }
    if (::mkdir(built.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      return environment("cannot make", built.string());
    }
    TRY(sync_path(above.string(), O_RDONLY | O_DIRECTORY));
  }
  return {};
}

/// Changing to WAL needs the file for itself and does not wait by the busy handler's rules, so
/// processes that start together are taken one after the other here.
Result<void> change_to_wal(Connection& connection, std::int64_t busy_ms_max) {
  const auto since = std::chrono::steady_clock::now();
  for (;;) {
    const Result<void> changed =
        connection.run(cat("PRAGMA page_size=", page_bytes, "; PRAGMA journal_mode=WAL"));
    if (changed || changed.error().code != Code::STORE_BUSY) return changed;
    const auto waited = std::chrono::steady_clock::now() - since;
    if (waited > std::chrono::milliseconds(busy_ms_max)) return changed;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Result<void> apply(Connection& connection, std::span<const Migration> steps, std::int64_t version) {
  for (const Migration& step : steps) {
    if (step.to <= version) continue;
    TRY(connection.run(step.statements));
    TRY(connection.run(cat("PRAGMA user_version=", step.to)));
  }
  TRY(connection.run(cat("PRAGMA application_id=", application_id)));
  return {};
}

/// Runs the missing steps in one transaction, unless another process was faster or (`seen`) the
/// file has changed since it was copied. True: the file is as it should be.
Result<bool> migrate_once(Connection& connection, std::span<const Migration> steps,
                          std::int64_t version, std::int64_t seen) {
  TRY(connection.run("BEGIN IMMEDIATE"));
  Result<bool> done = [&]() -> Result<bool> {
    if (TRY(connection.number("PRAGMA user_version")) != version) return true;
    if (TRY(connection.number("PRAGMA data_version")) != seen) return false;
    TRY(apply(connection, steps, version));
    TRY(connection.run("COMMIT"));
    return true;
  }();
  if (sqlite3_get_autocommit(connection.handle()) == 0) {
    const auto undone = connection.run("ROLLBACK");
    if (!undone && done) return std::unexpected(undone.error());
  }
  return done;
}

std::string in_quotes(const std::string& text) {
  std::string out;
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out;
}

Result<void> back_up(Connection& connection, const Where& where, std::int64_t version,
                     Health& health) {
  const std::string target = cat(where.path, ".v", version, ".backup");
  const std::string scratch = cat(target, ".", ::getpid());
  ::unlink(scratch.c_str());
  TRY(connection.run(cat("VACUUM INTO '", in_quotes(scratch), "'")));
  // Another process may have migrated the file in between: that is not a copy of the old one.
  Where copy = where;
  copy.path = scratch;
  const std::int64_t copied =
      TRY(TRY(Connection::open(copy, Access::read, health))->number("PRAGMA user_version"));
  if (copied != version) {
    ::unlink(scratch.c_str());
    return {};
  }
  TRY(sync_path(scratch, O_RDONLY));
  if (std::rename(scratch.c_str(), target.c_str()) != 0) return environment("cannot make", target);
  const std::string folder = std::filesystem::path(target).parent_path().string();
  return sync_path(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

Result<void> bring_up_to_date(Connection& connection, const Where& where,
                              std::span<const Migration> steps, const FileVersions& found,
                              Health& health) {
  TRY(change_to_wal(connection, where.busy_ms_max));
  for (int tries = 0; tries < backup_tries_max; ++tries) {
    const std::int64_t seen = TRY(connection.number("PRAGMA data_version"));
    if (found.version > 0) TRY(back_up(connection, where, found.version, health));
    if (TRY(migrate_once(connection, steps, found.version, seen))) return {};
  }
  return fail(Code::STORE_BUSY, "other processes kept writing during the migration of the store",
              "stop the other servers and try again");
}

}  // namespace

std::span<const Migration> migrations() { return all; }

Result<void> check_library(int number) {
  if (number >= sqlite_version_min) return {};
  return fail(Code::ENVIRONMENT,
              cat("the SQLite library has version ", number, "; Baton needs ", sqlite_version_min),
              "older ones can corrupt a file that several processes share");
}

Result<void> prepare_to_write(Connection& connection) {
  // The last to close leaves the WAL and its index in place, emptied: a read-only process needs
  // them, because it cannot make them.
  int keep = 1;
  sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  // Without spilling, nothing reaches the disk before COMMIT, for an append of any size.
  return connection.run(
      cat("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; PRAGMA temp_store=MEMORY;"
          "PRAGMA cache_size=-2048; PRAGMA cache_spill=OFF; PRAGMA mmap_size=0;"
          "PRAGMA journal_size_limit=",
          wal_bytes_kept));
}

Result<void> prepare_to_read(Connection& connection) {
  return connection.run("PRAGMA temp_store=MEMORY; PRAGMA cache_size=-512; PRAGMA mmap_size=0");
}

Result<Opened> open_file(const Where& where, std::span<const Migration> steps, Health& health) {
  TRY(check_library(sqlite3_libversion_number()));
  TRY(make_folders(where.path));
  Opened out;
  auto connection = Connection::open(where, Access::create, health);
  if (!connection && connection.error().code == Code::STORE_FAILED) {
    return fail(Code::ENVIRONMENT, connection.error().message, "choose another place with --db");
  }
  out.connection = TRY(std::move(connection));
  FileVersions found = TRY(standing_of(*out.connection));
  TRY(out.connection->sync_wal());
  if (!found.is_new() && found.application != application_id) {
    // Another process may have been making the file between our looks; then it is ours now.
    found = TRY(standing_of(*out.connection));
    if (found.application != application_id) {
      return fail(Code::STORE_CORRUPT, cat(where.path, " is not a Baton store"),
                  "name another file with --db");
    }
  }
  if (found.version > steps.back().to) {
    out.is_newer = true;
    return out;
  }
  if (found.version < steps.back().to) {
    if (out.connection->is_read_only()) {
      return fail(Code::STORE_READ_ONLY, cat(where.path, " must be migrated but is read-only"));
    }
    TRY(bring_up_to_date(*out.connection, where, steps, found, health));
  }
  if (!out.connection->is_read_only()) {
    // A copy that SQLite made is not in WAL mode.
    TRY(change_to_wal(*out.connection, where.busy_ms_max));
    TRY(prepare_to_write(*out.connection));
    // The WAL is made by the first look, and watched from then on.
    TRY(standing_of(*out.connection));
  }
  return out;
}

}  // namespace baton::adapters::sqlite
