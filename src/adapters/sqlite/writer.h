#pragma once
// The one thread of a store that writes. Callers hand it appends and wait; it takes whoever waits
// already (never waiting for more), writes them in one transaction and releases them together, so
// that under load many share one sync. Checkpoints come after that, never inside a commit.
// Any thread may call; the connection belongs to the writer's thread.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <thread>

#include "adapters/sqlite/append.h"

namespace baton::adapters::sqlite {

/// What the writer has done so far, for measurements and tests.
struct WriterCounts {
  std::int64_t groups = 0;       // transactions that committed appends
  std::int64_t appends = 0;      // in them
  std::int64_t checkpoints = 0;  // that did something
};

class Writer {
 public:
  /// `refusal`: why nothing can be written to this file at all, if so. `reopen` makes a fresh
  /// connection for writing; `health` must outlive the writer.
  struct Setup {
    std::unique_ptr<Connection> connection;
    std::function<Result<std::unique_ptr<Connection>>()> reopen;
    std::function<Result<std::unique_ptr<Connection>>()> open_reader;
    std::optional<Error> refusal;
    Health* health = nullptr;
  };

  explicit Writer(Setup setup);
  /// Finishes what waits.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Result<ports::AppendOutcome> append(const PreparedAppend& append);

  /// Runs `job` alone in a transaction: all of it or nothing.
  Result<void> run(const std::function<Result<void>(Connection&)>& job);

  WriterCounts counts();

 private:
  /// One waiting call. Lives on its caller's stack until it is done.
  struct Member {
    const PreparedAppend* append = nullptr;                         // an append,
    const std::function<Result<void>(Connection&)>* job = nullptr;  // or a job
    std::optional<Result<ports::AppendOutcome>> outcome;  // a job gives any outcome for success

    std::mutex mutex;
    std::condition_variable changed;
    bool is_done = false;
  };
  using Group = std::span<Member* const>;

  Result<ports::AppendOutcome> submit(Member& member);

  // All below: the writer's thread.
  void work();
  void take_group(std::vector<Member*>& group);
  void process(Group group);
  Result<void> make_ready();
  void commit_group(Group group);
  Result<ports::AppendOutcome> write_member(Member& member, bool is_alone, Numbering& numbering);
  void give_up(Group group, const Error& error);
  void resolve_unknown(Group group, const Error& error);
  std::optional<ports::AppendOutcome> look_up(Connection& reader, const Member& member);
  void roll_back();
  void checkpoint();
  static void finish(Member& member, Result<ports::AppendOutcome> outcome);
  static int on_commit(void* writer, sqlite3* db, const char* name, int wal_pages);
  void watch_wal();

  Setup setup_;
  std::int64_t wal_pages_ = 0;

  std::mutex mutex_;  // guards all below
  std::condition_variable work_;
  std::deque<Member*> waiting_;
  bool is_stopping_ = false;
  WriterCounts counts_;

  std::thread thread_;
};

}  // namespace baton::adapters::sqlite
