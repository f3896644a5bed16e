#pragma once
// Compares what a reader gives, row by row, with what the log says must be there. For a store that
// has no tables to compare. Derives nothing by the store's own code, so that it also checks that.

#include <map>
#include <string>

#include "ports/store_admin.h"

namespace baton::verbs {

/// Where a commit is, for a message.
std::string place_of(const run::Commit& commit);

class RowAudit final : public ports::TableAudit {
 public:
  /// `store` must outlive this.
  explicit RowAudit(ports::EventReader& store) : store_(store) {}

  Result<void> begin(const ports::ProblemSink&) override { return {}; }
  Result<void> add(const run::Commit& commit, const std::vector<run::Event>* events,
                   const ports::ProblemSink& sink) override;
  Result<void> finish(const ports::ProblemSink& sink) override;

 private:
  using Sink = ports::ProblemSink;

  /// What the log says of a run, in little room.
  struct RunFacts {
    run::CommitIndex::Run started;
    WallMs started_at;
    SessionId session;
    run::NodeNo tip;
    run::CommitNo last_commit;
    WallMs last_active;
    bool is_complete = false;
    std::int64_t nodes = 0;
    // Tokens are void at exactly the nodes made before the last revocation.
    run::CommitNo last_revoked;
    run::CommitNo last_void;
    run::CommitNo first_good;  // 0: none
  };

  Result<void> check_contents(const run::Commit& commit, const std::vector<run::Event>& events,
                              const Sink& sink);
  Result<void> check_index(const run::Commit& commit, const std::vector<run::Event>& events,
                           const Sink& sink);
  Result<void> check_attempt(const run::Commit& commit, const run::CommitIndex::Attempt& attempt,
                             const Sink& sink);
  Result<void> check_node(const run::Commit& commit, const run::NodeOutline& created,
                          const run::NodeRow& row, std::int64_t events, const Sink& sink);
  Result<bool> is_child(const run::NodeRow& row, const run::NodeRow& parent);
  void note_run(const run::Commit& commit, const run::CommitIndex& index);
  void note_node(const run::Commit& commit, const run::NodeRow& row);
  static bool fits(const run::RunRow& row, const RunFacts& facts);
  Result<void> check_list(const Sink& sink);

  ports::EventReader& store_;
  std::map<SessionId, run::SessionHead> heads_;
  std::map<RunId, RunFacts> facts_;
};

}  // namespace baton::verbs
