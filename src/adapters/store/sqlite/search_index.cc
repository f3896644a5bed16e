#include "adapters/store/sqlite/search_index.h"

#include <unistd.h>

#include "adapters/store/memory/memory_search.h"
#include "adapters/store/rules/search_hits.h"
#include "adapters/store/sqlite/file_claim.h"
#include "adapters/store/sqlite/heads/file_watch.h"
#include "base/core/limits.h"
#include "base/core/thread_safety.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using ports::IndexMark;
using ports::SearchCommit;
using sqlite::Connection;
using sqlite::Query;

constexpr std::int64_t search_busy_ms_max = 2'000;
constexpr std::int64_t search_version = 1;

// The words of a commit are in `words` under its number. They come folded and separated by
// spaces, so that the plainest tokenizer gives them back as they are; only whether a word is there
// is asked, so neither places nor texts are kept.
constexpr const char* tables =
    "CREATE TABLE IF NOT EXISTS mark(commit_no INTEGER NOT NULL, session BLOB NOT NULL,"
    " hash BLOB NOT NULL) STRICT;"
    "CREATE TABLE IF NOT EXISTS runs(run_no INTEGER PRIMARY KEY, run BLOB NOT NULL UNIQUE,"
    " session BLOB NOT NULL, workflow_id TEXT NOT NULL, workflow_name TEXT NOT NULL,"
    " workspace TEXT NOT NULL, repo_root TEXT NOT NULL, branch TEXT NOT NULL,"
    " head_sha TEXT NOT NULL, principal TEXT NOT NULL, last_commit INTEGER NOT NULL) STRICT;"
    "CREATE INDEX IF NOT EXISTS runs_by_session ON runs(session);"
    "CREATE TABLE IF NOT EXISTS texts(commit_no INTEGER PRIMARY KEY,"
    " run_no INTEGER NOT NULL) STRICT;"
    "CREATE INDEX IF NOT EXISTS texts_by_run ON texts(run_no);"
    "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(body, content='', contentless_delete=1,"
    " detail=none, tokenize='ascii');";

namespace sql {
constexpr const char* begin = "BEGIN";
constexpr const char* begin_write = "BEGIN IMMEDIATE";
constexpr const char* commit = "COMMIT";
constexpr const char* rollback = "ROLLBACK";
constexpr const char* mark = "SELECT commit_no, session, hash FROM mark";
constexpr const char* drop_mark = "DELETE FROM mark";
constexpr const char* add_mark = "INSERT INTO mark(commit_no, session, hash) VALUES(?1, ?2, ?3)";
constexpr const char* add_run =
    "INSERT OR IGNORE INTO runs(run_no, run, session, workflow_id, workflow_name, workspace,"
    " repo_root, branch, head_sha, principal, last_commit)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?1)";
constexpr const char* move_run = "UPDATE runs SET last_commit = ?2 WHERE run = ?1 RETURNING run_no";
constexpr const char* find_run = "SELECT run_no FROM runs WHERE run = ?1";
constexpr const char* runs_of = "SELECT run_no FROM runs WHERE session = ?1";
constexpr const char* add_text = "INSERT INTO texts(commit_no, run_no) VALUES(?1, ?2)";
constexpr const char* add_words = "INSERT INTO words(rowid, body) VALUES(?1, ?2)";
constexpr const char* drop_words =
    "DELETE FROM words WHERE rowid IN (SELECT commit_no FROM texts WHERE run_no = ?1)";
constexpr const char* drop_texts = "DELETE FROM texts WHERE run_no = ?1";
constexpr const char* drop_run = "DELETE FROM runs WHERE run_no = ?1";
constexpr const char* hits =
    "SELECT t.run_no, t.commit_no FROM words JOIN texts t ON t.commit_no = words.rowid"
    " WHERE words MATCH ?1 ORDER BY words.rowid DESC LIMIT ?2";
constexpr const char* count_runs = "SELECT count(*) FROM runs";
constexpr const char* runs =
    "SELECT run_no, run, session, workflow_id, workflow_name, workspace, repo_root, branch,"
    " head_sha, principal, last_commit FROM runs";
}  // namespace sql

Result<void> execute(Connection& connection, const char* statement) {
  Query query(connection, statement);
  return query.finish();
}

/// One transaction: all of `job`, or nothing of it.
template <class Job>
auto in_transaction(Connection& connection, const char* begin, Job job)
    -> decltype(job(connection)) {
  TRY(execute(connection, begin));
  auto result = job(connection);
  if (result) {
    if (auto done = execute(connection, sql::commit); !done) result = std::unexpected(done.error());
  }
  if (!result && sqlite3_get_autocommit(connection.handle()) == 0) {
    static_cast<void>(execute(connection, sql::rollback));
  }
  return result;
}

Result<IndexMark> read_mark(Connection& connection) {
  Query query(connection, sql::mark);
  IndexMark mark;
  if (!TRY(query.step())) return mark;
  mark.commit = {query.integer(0)};
  mark.session = {query.bytes<16>(1)};
  mark.hash = {query.bytes<32>(2)};
  TRY(query.sound());
  return mark;
}

Result<void> write_mark(Connection& connection, const IndexMark& mark) {
  TRY(execute(connection, sql::drop_mark));
  Query query(connection, sql::add_mark);
  query.bind(mark.commit.value).bind(mark.session.bytes).bind(mark.hash.bytes);
  return query.finish();
}

Result<void> drop_run(Connection& connection, std::int64_t run_no) {
  for (const char* statement : {sql::drop_words, sql::drop_texts, sql::drop_run}) {
    Query query(connection, statement);
    query.bind(run_no);
    TRY(query.finish());
  }
  return {};
}

Result<void> add_run(Connection& connection, const SearchCommit& commit) {
  const run::RunStarted& started = *commit.found.started;
  const run::RunSurroundings& around = commit.found.around;
  Query query(connection, sql::add_run);
  query.bind(commit.mark.commit.value).bind(started.run.bytes).bind(commit.mark.session.bytes);
  for (const std::string* text :
       {&started.workflow_id, &commit.workflow_name, &around.workspace, &around.repo_root,
        &around.branch, &around.head_sha, &around.principal}) {
    query.bind(std::string_view(*text));
  }
  return query.finish();
}

Result<std::optional<std::int64_t>> move_run(Connection& connection, const RunId& run,
                                             run::CommitNo to) {
  Query query(connection, sql::move_run);
  query.bind(run.bytes).bind(to.value);
  if (!TRY(query.step())) return std::nullopt;
  const std::int64_t run_no = query.integer(0);
  TRY(query.step());
  return run_no;
}

Result<void> add_words(Connection& connection, run::CommitNo commit, std::int64_t run_no,
                       const std::vector<std::string>& words) {
  if (words.empty()) return {};
  {
    Query query(connection, sql::add_text);
    query.bind(commit.value).bind(run_no);
    TRY(query.finish());
  }
  std::string text;
  for (const std::string& word : words) text += cat(word, ' ');
  Query query(connection, sql::add_words);
  query.bind(commit.value).bind(std::string_view(text));
  return query.finish();
}

Result<void> take(Connection& connection, const SearchCommit& commit) {
  const run::Searchable& found = commit.found;
  if (found.started) TRY(add_run(connection, commit));
  if (found.run) {
    if (const auto run_no = TRY(move_run(connection, *found.run, commit.mark.commit))) {
      TRY(add_words(connection, commit.mark.commit, *run_no, found.words));
    }
  }
  for (const RunId& run : found.revoked) {
    std::optional<std::int64_t> run_no;
    {
      Query query(connection, sql::find_run);
      query.bind(run.bytes);
      if (TRY(query.step())) run_no = query.integer(0);
    }
    if (run_no) TRY(drop_run(connection, *run_no));
  }
  return {};
}

Result<void> find_hits(Connection& connection, std::span<const std::string> words,
                       SearchHits<std::int64_t>& hits) {
  for (std::size_t word = 0; word < words.size(); ++word) {
    const std::string match = cat('"', words[word], '"');
    Query query(connection, sql::hits);
    query.bind(std::string_view(match));
    query.bind(static_cast<std::int64_t>(limits::search_hits_max));
    while (TRY(query.step())) hits.add(word, query.integer(0), {query.integer(1)});
  }
  return {};
}

Result<void> find_runs(Connection& connection, std::span<const std::string> words,
                       run::FoundRuns& out) {
  SearchHits<std::int64_t> hits(words.size());
  TRY(find_hits(connection, words, hits));
  {
    Query query(connection, sql::count_runs);
    TRY(query.step());
    out.begin(query.integer(0), hits.runs_with_word());
  }
  Query query(connection, sql::runs);
  while (TRY(query.step())) {
    run::FoundRun run;
    run.run = {query.bytes<16>(1)};
    run.session = {query.bytes<16>(2)};
    run.workflow_id = query.text(3);
    run.workflow_name = query.text(4);
    run.around = {query.text(5), query.text(6), query.text(7), query.text(8), query.text(9)};
    run.last = {query.integer(10)};
    hits.fill(query.integer(0), run);
    TRY(query.sound());
    out.add(run);
  }
  return {};
}

}  // namespace

/// The file while it is open: a connection that fills it, and one that is asked. While the one
/// writes the other reads what was there before. Its health is its own: a new file starts
/// healthy.
struct SqliteSearch::File {
  sqlite::Health health;
  Mutex writing;
  std::unique_ptr<Connection> writer GUARDED_BY(writing);
  Mutex reading;
  std::unique_ptr<Connection> reader GUARDED_BY(reading);

  /// Without locks: no other thread has it yet.
  static Result<std::shared_ptr<File>> open(const std::string& path) UNCHECKED_LOCKS {
    auto file = std::make_shared<File>();
    const sqlite::Where where{path, {}, search_busy_ms_max};
    TRY(sqlite::check_planted(path));
    file->writer = TRY(Connection::open(where, sqlite::Access::create, file->health));
    TRY(sqlite::check_planted(path));
    Connection& connection = *file->writer;
    const std::int64_t version = TRY(connection.number("PRAGMA user_version"));
    if (version > search_version) {
      return fail(Code::STORE_NEWER, "the search index was written by a newer release");
    }
    TRY(connection.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA cache_size=-1024"));
    TRY(connection.run(tables));
    if (version != search_version) {
      TRY(connection.run(cat("PRAGMA user_version=", search_version)));
    }
    file->reader = TRY(Connection::open(where, sqlite::Access::write, file->health));
    TRY(file->reader->run("PRAGMA cache_size=-1024"));
    return file;
  }

  /// One transaction of the writer: all of `job`, or nothing of it.
  template <class Job>
  auto write(Job job) {
    const MutexLock lock(writing);
    return in_transaction(*writer, sql::begin_write, job);
  }
  template <class Job>
  auto read(Job job) {
    const MutexLock lock(reading);
    return in_transaction(*reader, sql::begin, job);
  }
};

SqliteSearch::SqliteSearch(std::string store_path) : path_(std::move(store_path) + ".search") {}
SqliteSearch::~SqliteSearch() = default;

void SqliteSearch::remove_file() {
  file_.reset();
  for (const char* part : {"", "-wal", "-shm"}) ::unlink((path_ + part).c_str());
}

SqliteSearch::Opened SqliteSearch::open() {
  const MutexLock lock(mutex_);
  return opened();
}

SqliteSearch::Opened SqliteSearch::opened() {
  if (file_ != nullptr || memory_ != nullptr) return {file_, memory_.get()};
  auto made = File::open(path_);
  if (!made && made.error().code == Code::STORE_CORRUPT) {
    remove_file();
    made = File::open(path_);
  }
  if (made) {
    file_ = *std::move(made);
  } else {
    memory_ = std::make_unique<MemorySearch>();
  }
  return {file_, memory_.get()};
}

Result<IndexMark> SqliteSearch::mark() {
  const auto [file, memory] = open();
  if (file == nullptr) return memory->mark();
  return file->read(read_mark);
}

std::shared_ptr<void> SqliteSearch::claim(std::int64_t wait_ms) {
  const auto [file, memory] = open();
  if (file == nullptr) return memory->claim(wait_ms);
  return sqlite::claim_file(path_ + "-lock", wait_ms);
}

Result<void> SqliteSearch::add(const IndexMark& after, std::span<const SearchCommit> commits) {
  const auto [file, memory] = open();
  if (file == nullptr) return memory->add(after, commits);
  if (commits.empty()) return {};
  return file->write([&](Connection& connection) -> Result<void> {
    if (TRY(read_mark(connection)) != after) return {};
    for (const SearchCommit& commit : commits) TRY(take(connection, commit));
    return write_mark(connection, commits.back().mark);
  });
}

Result<void> SqliteSearch::forget(const SessionId& session) {
  const auto [file, memory] = open();
  if (file == nullptr) return memory->forget(session);
  return file->write([&](Connection& connection) -> Result<void> {
    std::vector<std::int64_t> gone;
    {
      Query query(connection, sql::runs_of);
      query.bind(session.bytes);
      while (TRY(query.step())) gone.push_back(query.integer(0));
    }
    for (const std::int64_t run_no : gone) TRY(drop_run(connection, run_no));
    return {};
  });
}

Result<void> SqliteSearch::clear() {
  const auto [file, memory] = open();
  if (file == nullptr) return memory->clear();
  const auto emptied = file->write([](Connection& c) {
    return c.run(
        "DELETE FROM mark; DELETE FROM texts; DELETE FROM runs;"
        "INSERT INTO words(words) VALUES('delete-all')");
  });
  if (emptied || emptied.error().code == Code::STORE_BUSY) return emptied;
  const MutexLock lock(mutex_);
  // A reader of the old file still sees what it held.
  if (file_ == file) remove_file();
  opened();
  return {};
}

Result<void> SqliteSearch::find(std::span<const std::string> words, run::FoundRuns& out) {
  ASSERT(words.size() <= limits::search_words_max);
  const auto [file, memory] = open();
  if (file == nullptr) return memory->find(words, out);
  return file->read([&](Connection& connection) { return find_runs(connection, words, out); });
}

}  // namespace baton::adapters
