#pragma once
// An EventStore in memory, with the same rules as the durable ones. For tests and simulation.
// One mutex guards everything; any thread.

#include <map>
#include <set>
#include <utility>

#include "adapters/store/rules/append_rules.h"
#include "base/core/thread_safety.h"

namespace baton::adapters {

class MemoryStore : public ports::EventStore {
 public:
  MemoryStore() = default;

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

  /// The snapshots stored so far are as release 0.1.0 left them.
  void forget_seals();

 private:
  class Audit;

  struct Attempt {
    run::NodeNo node;
    run::AttemptKey key;
    auto operator<=>(const Attempt&) const = default;
  };
  using Log = std::map<run::Seq, run::CommitNo>;

  /// A copy of what `other` holds now.
  explicit MemoryStore(MemoryStore& other);

  /// What is derived from the log; rebuild() rebuilds it.
  struct Derived {
    std::map<run::NodeNo, run::NodeRow> nodes;
    std::map<NodeId, run::NodeNo> node_ids;
    std::set<std::pair<run::NodeNo, run::NodeNo>> children;  // parent, child
    std::map<Attempt, run::NodeNo> attempts;
    std::map<RunId, run::RunRow> runs;
    std::map<run::CommitNo, RunId> activity;  // a run's last commit
  };

  /// Everything one commit adds, made before anything is changed.
  struct Addition {
    std::vector<run::NodeRow> nodes;
    std::vector<std::pair<Attempt, run::NodeNo>> attempts;
    std::optional<run::RunRow> run;
    std::vector<RunId> revoked;
  };

  run::SessionHead head_of(const SessionId& session) const REQUIRES(mutex_);
  Result<Addition> derive(const run::Commit& commit, const run::CommitIndex& index,
                          const std::set<run::NodeNo>& with_snapshot) const REQUIRES(mutex_);
  Result<void> derive_nodes(const run::Commit& commit, const run::CommitIndex& index,
                            const std::set<run::NodeNo>& with_snapshot, Addition& out) const
      REQUIRES(mutex_);
  Result<void> derive_attempts(const run::CommitIndex& index, Addition& out) const REQUIRES(mutex_);
  Result<void> derive_run(const run::Commit& commit, const run::CommitIndex& index,
                          Addition& out) const REQUIRES(mutex_);
  void apply(Addition addition) REQUIRES(mutex_);
  Result<ports::AppendOutcome> append_one(run::CommitDraft draft) REQUIRES(mutex_);
  void reseal(std::vector<std::pair<run::NodeNo, std::string>> snapshots, const SessionId& session)
      REQUIRES(mutex_);
  /// REQUIRES: the session has commits.
  void remove(const SessionId& session) REQUIRES(mutex_);
  Result<void> remove_contents(const SessionId& session) REQUIRES(mutex_);

  Mutex mutex_;
  std::map<run::CommitNo, run::Commit> commits_ GUARDED_BY(mutex_);
  std::map<SessionId, Log> sessions_ GUARDED_BY(mutex_);
  std::map<std::pair<SessionId, std::string>, run::CommitNo> keys_ GUARDED_BY(mutex_);
  std::map<Sha256, std::string> blobs_ GUARDED_BY(mutex_);
  std::map<Sha256, std::string> workflows_ GUARDED_BY(mutex_);
  std::map<run::NodeNo, run::StoredSnapshot> snapshots_ GUARDED_BY(mutex_);
  std::set<SessionId> purged_ GUARDED_BY(mutex_);
  std::map<run::NodeNo, run::Tombstone> tombstones_ GUARDED_BY(mutex_);
  run::CommitNo last_ GUARDED_BY(mutex_);
  Derived derived_ GUARDED_BY(mutex_);
};

}  // namespace baton::adapters
