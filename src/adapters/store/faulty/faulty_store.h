#pragma once
// An EventStore that passes every call on to another one, except where its script says otherwise.
// For tests and simulation: each fault is one that a real store can show. Any thread.

#include <map>
#include <optional>

#include "base/core/thread_safety.h"
#include "ports/event_store.h"

namespace baton::adapters {

class FaultyStore : public ports::EventStore {
 public:
  enum class Call : std::uint8_t { read, append, purge, rebuild, audit };

  enum class Kind : std::uint8_t {
    refuse,             // the error, and nothing was done
    commit_then_error,  // done, but the caller is told the error: the outcome is unknown to it
    head_moved,         // an append only: as if it lost a race
  };

  struct Fault {
    Kind kind = Kind::refuse;
    Code code = Code::STORE_FAILED;
  };

  /// `inner` must outlive this.
  explicit FaultyStore(ports::EventStore& inner) : inner_(inner) {}

  /// The n-th call of that sort from now on meets the fault; 1 is the next.
  void inject(Call call, std::int64_t nth, Fault fault);

  /// Every call is refused with `code` until go_up().
  void go_down(Code code);
  void go_up();

  /// Calls of that sort so far.
  std::int64_t count(Call call);

  Result<std::optional<run::NodeRow>> node(run::NodeNo no) override;
  Result<std::optional<run::NodeRow>> node_by_id(const NodeId& id) override;
  Result<std::optional<run::Tombstone>> tombstone(run::NodeNo no) override;
  Result<std::optional<run::NodeNo>> attempt(run::NodeNo node, const run::AttemptKey& key) override;
  Result<ports::SettledCount> settled(run::NodeNo node, run::AttemptKind kind,
                                      std::uint8_t ordinal) override;
  Result<std::vector<run::NodeRow>> children(run::NodeNo parent, std::size_t limit) override;
  Result<std::optional<run::Commit>> commit(run::CommitNo no) override;
  Result<std::optional<run::Commit>> commit_by_key(const SessionId& session,
                                                   std::string_view dedupe_key) override;
  Result<std::optional<run::Commit>> newest_by_prefix(const SessionId& session,
                                                      std::string_view prefix) override;
  Result<std::vector<run::Commit>> log(const SessionId& session, run::Seq after,
                                       std::size_t limit) override;
  Result<std::vector<run::Commit>> store_log(run::CommitNo after, std::size_t limit) override;
  Result<run::SessionHead> head(const SessionId& session) override;
  Result<std::optional<std::string>> blob(const Sha256& hash) override;
  Result<std::optional<std::string>> workflow(const Sha256& hash) override;
  Result<std::optional<run::StoredSnapshot>> snapshot(run::NodeNo node) override;
  Result<std::optional<run::RunRow>> run(const RunId& id) override;
  Result<std::vector<run::RunRow>> runs(std::optional<run::CommitNo> before,
                                        std::size_t limit) override;
  Result<std::vector<run::LooseSession>> loose_sessions(run::CommitNo after,
                                                        std::size_t limit) override;
  Result<run::CommitNo> last_commit() override;
  Result<run::StoreFacts> facts() override;
  Result<bool> purged(const SessionId& session) override;

  Result<ports::AppendOutcome> append(run::CommitDraft draft) override;
  Result<void> append_all(std::vector<run::CommitDraft> drafts) override;
  Result<ports::PurgeOutcome> purge(const SessionId& session, run::Seq expected,
                                    WallMs at) override;
  Result<void> rebuild() override;
  Result<std::unique_ptr<ports::StoreAudit>> audit() override;

 private:
  /// Counts the call and says what befalls it.
  std::optional<Fault> meet(Call call);

  template <class Pass>
  auto pass(Call call, Pass inner_call) -> decltype(inner_call());

  ports::EventStore& inner_;
  Mutex mutex_;
  std::map<Call, std::int64_t> counts_ GUARDED_BY(mutex_);
  std::map<Call, std::map<std::int64_t, Fault>> script_ GUARDED_BY(mutex_);
  std::optional<Code> down_ GUARDED_BY(mutex_);
};

}  // namespace baton::adapters
