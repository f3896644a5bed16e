#pragma once
// The store that verbs use: it checks every answer before it returns it. The log is the only truth.
// A commit is accepted when it fits its hash and the commit after it continues it; a row of a node,
// an attempt or a run is accepted when it says what its commit says.
//
// A session in which something does not fit is closed from then on: reading it and appending to it
// return STORAGE_CORRUPTION_DETECTED. Other sessions continue. A commit that is in the caches is
// not read again, and an append reads nothing.
//
// Not checked here: the rows of runs(), which are a list to choose from (a verb that acts on one
// reads it with run()); `revoked` of a node, which comes from its run's row (engine::is_revoked
// asks the log); snapshots, which the store seals.

#include "engine/load/caches.h"
#include "ports/store_admin.h"

namespace baton::engine {

/// Remembers that a session is damaged and returns the error. `what` names the place and what does
/// not fit there.
std::unexpected<Error> close_session(Caches& caches, const SessionId& session,
                                     const std::string& what);

class CheckedStore final : public ports::EventStore {
 public:
  /// Both must outlive this.
  CheckedStore(ports::EventStore& raw, Caches& caches) : raw_(raw), caches_(caches) {}

  Result<std::optional<run::NodeRow>> node(run::NodeNo no) override;
  Result<std::optional<run::NodeRow>> node_by_id(const NodeId& id) override;
  Result<std::optional<run::TokenSubject>> token_subject(run::NodeNo no) override;
  Result<std::optional<run::TokenSubject>> logged_subject(run::NodeNo no) override;
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
  /// Leaves out a commit that does not fit its hash.
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
  Result<run::StoreFacts> facts() override { return raw_.facts(); }
  Result<bool> purged(const SessionId& session) override;

  /// With the snapshot of the session that waits to be sealed, if one does.
  Result<ports::AppendOutcome> append(run::CommitDraft draft) override;
  Result<void> append_all(std::vector<run::CommitDraft> drafts) override;
  Result<ports::PurgeOutcome> purge(const SessionId& session, run::Seq expected,
                                    WallMs at) override;
  Result<void> rebuild() override;
  /// Of the store itself: a check must see what does not fit.
  Result<std::unique_ptr<ports::StoreAudit>> audit() override;

 private:
  using Outline = std::shared_ptr<const run::CommitOutline>;

  /// The nodes of a session from `from` on, held; nothing when they are too many to be looked
  /// through.
  using Held = Guarded<SessionNodes>::Held;

  Result<void> check_open(const SessionId& session);
  /// Closes the session, unless gc has removed it meanwhile: then nothing is damaged.
  std::unexpected<Error> damaged(const SessionId& session, std::string_view where,
                                 std::string_view what);
  std::unexpected<Error> damaged(const run::Commit& commit, std::string_view what);
  std::unexpected<Error> damaged(const run::CommitOutline& commit, std::string_view what);

  Result<std::optional<run::Commit>> checked(std::optional<run::Commit> commit);
  Result<Outline> keep(const run::Commit& commit);
  /// Null when there is no such commit.
  Result<Outline> outline(run::CommitNo no);
  Result<Outline> first_of(const SessionId& session);

  Result<std::optional<run::NodeRow>> checked(run::NodeRow row);
  Result<void> check_beginning(const run::RunRow& row);
  Result<void> check_listed(const run::CommitOutline& parent, std::size_t limit,
                            const std::vector<run::NodeNo>& known, run::Seq seen,
                            const std::vector<run::NodeRow>& rows);

  Result<Held> follow(const SessionId& session, run::Seq from);
  Result<void> read_nodes(const SessionId& session, SessionNodes& nodes, run::Seq after,
                          std::optional<run::Seq> to);
  Result<void> take(SessionNodes& nodes, const run::Commit& commit);

  ports::EventStore& raw_;
  Caches& caches_;
};

}  // namespace baton::engine
