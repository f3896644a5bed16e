#pragma once
// Writes to a store, one group of appends at a time. The first thread at an idle writer leads: it
// takes everyone who waits already (never waiting for more), writes them in one transaction on its
// own thread and releases them together. So a lone append changes no thread, and under load many
// share one sync. Checkpoints are made by a thread of their own, between groups, never inside one.
// Any thread may call; the connection belongs to the leader.

#include <deque>
#include <functional>
#include <span>
#include <thread>

#include "adapters/store/sqlite/heads/file_watch.h"
#include "adapters/store/sqlite/write/append.h"
#include "base/core/limits.h"
#include "base/core/thread_safety.h"

namespace baton::adapters::sqlite {

/// What the writer has done so far, for measurements and tests.
struct WriterCounts {
  std::int64_t groups = 0;       // transactions that committed appends
  std::int64_t appends = 0;      // in them
  std::int64_t checkpoints = 0;  // that did something
  std::int64_t long_wals = 0;    // of them, because the WAL was long

  // Now.
  std::int64_t waiting = 0;  // appends that no leader has taken yet
  bool is_led = false;       // a leader is writing
};

class StoreWriter {
 public:
  /// `refusal`: why nothing can be written to this file at all, if so. `reopen` makes a fresh
  /// connection for writing; what is pointed at must outlive the writer.
  struct Setup {
    std::unique_ptr<Connection> connection;
    std::function<Result<std::unique_ptr<Connection>>()> reopen;
    std::function<Result<std::unique_ptr<Connection>>()> open_reader;
    std::optional<Error> refusal;
    Health* health = nullptr;
    CommitSignal* bell = nullptr;  // signalled after every transaction; null: no listener
    Anchors* anchors = nullptr;    // told of every commit; null: the store has none
    FileWatch* watch = nullptr;    // asked after every commit; null: nothing to compare
    std::int64_t wal_pages_ceiling = limits::store_wal_pages_ceiling;
  };

  explicit StoreWriter(Setup setup);
  /// Finishes what waits.
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  /// REQUIRES: the draft is prepared (adapters/store/rules/append_rules.h).
  Result<ports::AppendOutcome> append(run::CommitDraft draft);

  /// Runs `job` alone in a transaction: all of it or nothing.
  Result<void> run(const std::function<Result<void>(Connection&)>& job);

  WriterCounts counts();

 private:
  /// One waiting call. Lives on its caller's stack until it is done.
  struct Member {
    run::CommitDraft* draft = nullptr;                              // an append,
    const std::function<Result<void>(Connection&)>* job = nullptr;  // or a job
    // A job gives any outcome for success. The commit of an append is still in its draft.
    std::optional<Result<ports::AppendOutcome>> outcome;

    Condition changed;     // waits on the writer's mutex
    bool is_done = false;  // Writer::is_done() says so to who holds it
  };
  using Group = std::span<Member* const>;

  Result<ports::AppendOutcome> submit(Member& member);

  void take_group(std::vector<Member*>& group) REQUIRES(mutex_);
  // All below: the leader.
  void process(Group group);
  Result<void> make_ready();
  Result<void> keep_wal_bounded();
  Result<void> check_touched();
  Result<void> check_anchors(Numbering& numbering);
  Result<void> check_floor(run::CommitNo last, bool is_same);
  unsigned store_version();
  Result<void> confirm(const Numbering& numbering);
  void commit_group(Group group);
  Result<ports::AppendOutcome> write_member(Member& member, bool is_alone, Numbering& numbering);
  void give_up(Group group, const Error& error);
  void resolve_unknown(Group group, const Error& error);
  std::optional<ports::AppendOutcome> look_up(Connection& reader, const Member& member);
  void roll_back();
  void checkpoint();
  static int on_commit(void* writer, sqlite3* db, const char* name, int wal_pages);
  void watch_wal();

  void lead() REQUIRES(mutex_);
  void stop_leading() REQUIRES(mutex_);
  void release(Group group) REQUIRES(mutex_);
  bool is_done(const Member& member) const REQUIRES(mutex_) { return member.is_done; }

  void keep_checkpoints();  // the checkpoints' thread

  Setup setup_;
  std::int64_t wal_pages_ = 0;
  std::int64_t wal_length_ = 0;  // pages in the WAL after the last commit
  std::int64_t wal_pages_max_ = limits::store_wal_pages_max;  // past it the WAL is long
  bool is_broken_ = false;  // the connection did not come out of its transaction
  // The newest commit, as long as the connection sees the same version of the store.
  struct KnownLast {
    unsigned version = 0;
    run::CommitNo last;
  };
  std::optional<KnownLast> known_last_;
  // What the store must have unless its files were replaced: the newest commit of this process, and
  // the highest number it saw.
  std::optional<AnchoredHead> own_last_;
  run::CommitNo highest_seen_;

  Mutex mutex_;
  std::deque<Member*> waiting_ GUARDED_BY(mutex_);
  bool is_led_ GUARDED_BY(mutex_) = false;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  bool is_checkpoint_due_ GUARDED_BY(mutex_) = false;
  bool is_wal_long_ GUARDED_BY(mutex_) = false;
  std::int64_t groups_led_ GUARDED_BY(mutex_) = 0;
  WriterCounts counts_ GUARDED_BY(mutex_);
  Condition idle_;  // for the checkpoints' thread: something above changed

  std::thread thread_;
};

}  // namespace baton::adapters::sqlite
