#include "verbs/verify.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "verbs/load.h"

namespace baton::verbs {
namespace {

class Verifier {
 public:
  explicit Verifier(ports::EventReader& store) : store_(store) {}

  Result<VerifyReport> verify() {
    run::CommitNo after;
    while (true) {
      const auto commits = TRY(store_.store_log(after, limits::log_page_commits));
      if (commits.empty()) break;
      for (const run::Commit& commit : commits) TRY(check_commit(commit));
      after = commits.back().no;
    }
    TRY(check_runs());
    TRY(check_heads());
    report_.sessions = static_cast<std::int64_t>(heads_.size());
    return std::move(report_);
  }

 private:
  void problem(const run::Commit& commit, std::string_view what) {
    if (report_.problems.size() >= limits::verify_problems_max) return;
    report_.problems.push_back(cat("commit ", commit.no.value, " (", commit.session.text(),
                                   ", seq ", commit.seq.value, "): ", what));
  }

  Result<void> check_commit(const run::Commit& commit) {
    ++report_.commits;
    run::SessionHead& head = heads_[commit.session];
    if (commit.seq.value != head.seq.value + 1)
      problem(commit, "its place in the session is wrong");
    if (commit.previous != head.hash) problem(commit, "it does not continue the commit before it");
    if (run::commit_hash(commit) != commit.hash)
      problem(commit, "its content does not fit its hash");
    head = {commit.seq, commit.hash};
    const auto found = TRY(store_.commit_by_key(commit.session, commit.dedupe_key));
    if (!found || found->no != commit.no) problem(commit, "it cannot be found by its key");

    const auto events = run::decode_events(commit.body);
    if (!events) {
      problem(commit, events.error().message);
      return {};
    }
    const auto canonical = run::encode_events(*events);
    if (!canonical || *canonical != commit.body) problem(commit, "its body is not canonical");
    report_.events += static_cast<std::int64_t>(events->size());
    TRY(check_content(commit, *events));
    return check_index(commit, *events);
  }

  /// What the events themselves refer to: pinned workflows, texts by hash, artifacts.
  Result<void> check_content(const run::Commit& commit, const std::vector<run::Event>& events) {
    for (const run::Event& event : events) {
      if (const auto* started = std::get_if<run::RunStarted>(&event)) {
        const auto text = TRY(store_.workflow(started->workflow_hash));
        if (!text || sha256(*text) != started->workflow_hash) {
          problem(commit, "the pinned workflow is missing or was changed");
        }
      } else if (const auto* advance = std::get_if<run::AdvanceRecorded>(&event)) {
        for (const Sha256& hash : run::blobs_of(advance->reply)) {
          const auto text = TRY(store_.blob(hash));
          if (!text || sha256(*text) != hash) {
            problem(commit, cat("the text ", hash.hex(), " is missing or was changed"));
          }
        }
      } else if (const auto* lease = std::get_if<run::TaskLeased>(&event)) {
        TRY(check_lease(commit, *lease));
      } else if (const auto* settled = std::get_if<run::TaskSettled>(&event)) {
        if (settled->is_final && settled->type != "timeout" &&
            !settled_.emplace(settled->node, settled->task).second) {
          problem(commit, cat("the task ", settled->task, " is settled twice"));
        }
      } else if (const auto* output = std::get_if<run::NodeOutputAppended>(&event)) {
        const auto* artifact = std::get_if<run::Artifact>(&output->payload);
        if (artifact == nullptr) continue;
        const auto text = json::canonical(artifact->content);
        if (!text || sha256(*text) != artifact->hash) {
          problem(commit, "an artifact does not fit its hash");
        }
      }
    }
    return {};
  }

  /// The run that carries a task out says so itself; one that was carried elsewhere is not there.
  Result<void> check_lease(const run::Commit& commit, const run::TaskLeased& lease) {
    const auto row = TRY(store_.run(lease.child));
    if (row && (row->parent != lease.run || row->session != lease.session)) {
      problem(commit, cat(lease.child.text(), " does not carry out ", lease.task));
    }
    return {};
  }

  Result<void> check_index(const run::Commit& commit, const std::vector<run::Event>& events) {
    const run::CommitIndex index = run::index_of(events);
    if (index.started) {
      facts_[index.started->run].started = *index.started;
      facts_[index.started->run].started_at = commit.at;
      facts_[index.started->run].session = commit.session;
    }
    for (const RunId& run : index.revoked) facts_[run].last_revoked = commit.no;
    for (std::size_t i = 0; i < index.nodes.size(); ++i) {
      ++report_.nodes;
      const run::NodeNo no = run::NodeNo::of(commit.no, i);
      const auto row = TRY(store_.node(no));
      const auto by_id = TRY(store_.node_by_id(index.nodes[i].node));
      if (!row || !by_id || by_id->no != no) {
        problem(commit, cat(index.nodes[i].node.text(), " is not indexed"));
        continue;
      }
      TRY(check_node(commit, index.nodes[i], *row, events));
      note_node(commit, *row);
    }
    for (const run::CommitIndex::Attempt& attempt : index.attempts) {
      TRY(check_attempt(commit, attempt));
    }
    return {};
  }

  Result<void> check_attempt(const run::Commit& commit, const run::CommitIndex::Attempt& attempt) {
    const auto node = TRY(store_.node_by_id(attempt.node));
    const auto outcome =
        node ? TRY(store_.attempt(node->no, attempt.key)) : std::optional<run::NodeNo>();
    if (!outcome || outcome->commit() != commit.no) {
      problem(commit, "its attempt is not indexed");
      return {};
    }
    const auto settled = TRY(store_.settled(node->no, attempt.key.kind, attempt.key.ordinal));
    if (settled.count <= attempt.key.count) problem(commit, "its attempt is not counted");
    return {};
  }

  Result<void> check_node(const run::Commit& commit, const run::NodeCreated& created,
                          const run::NodeRow& row, const std::vector<run::Event>& events) {
    const auto parent =
        created.parent ? TRY(store_.node_by_id(*created.parent)) : std::optional<run::NodeRow>();
    const bool parent_fits =
        created.parent ? parent && row.parent == parent->no && row.depth == parent->depth + 1
                       : !row.parent && row.depth == 0;
    const auto snapshot = TRY(store_.snapshot(row.no));
    const auto size = static_cast<std::int64_t>(events.size());
    if (!parent_fits || row.no.commit() != commit.no || row.id != created.node ||
        row.run != created.run || row.session != commit.session || row.kind != created.kind ||
        row.open_steps != created.open_steps || row.settled_step != created.settled_step ||
        row.created != commit.at || !path_fits(commit, size, row, parent, snapshot.has_value())) {
      problem(commit, cat("the index of ", created.node.text(), " does not fit the log"));
    }
    if (parent && !TRY(is_child(row, *parent))) {
      problem(commit, cat(created.node.text(), " cannot be reached from its parent"));
    }
    return check_state(commit, created, snapshot, row, parent, events);
  }

  /// Whether the node is found below its parent, whose own attempt led to it or which adopted it.
  Result<bool> is_child(const run::NodeRow& row, const run::NodeRow& parent) {
    const auto children = TRY(store_.children(parent.no, SIZE_MAX));
    return std::ranges::any_of(children, [&](const run::NodeRow& c) { return c.no == row.no; });
  }

  /// The way back to the nearest snapshot. A commit counts once on it.
  static bool path_fits(const run::Commit& commit, std::int64_t events, const run::NodeRow& row,
                        const std::optional<run::NodeRow>& parent, bool has_snapshot) {
    if (has_snapshot) return row.snapshot == row.no && row.path_events == 0 && row.path_bytes == 0;
    const run::NodeRow above = parent.value_or(run::NodeRow{});
    const bool counted = parent && parent->no.commit() == commit.no;
    const auto bytes = static_cast<std::int64_t>(commit.body.size());
    return row.snapshot == above.snapshot &&
           row.path_events == above.path_events + (counted ? 0 : events) &&
           row.path_bytes == above.path_bytes + (counted ? 0 : bytes);
  }

  void note_node(const run::Commit& commit, const run::NodeRow& row) {
    RunFacts& facts = facts_[row.run];
    facts.tip = row.no;
    facts.tip_at = commit.at;
    facts.is_complete = row.open_steps.empty();
    ++facts.nodes;
    if (row.revoked) {
      facts.last_void = commit.no;
    } else if (facts.first_good.value == 0) {
      facts.first_good = commit.no;
    }
  }

  /// The state at the node, folded from its parent's, must be what a snapshot of it says.
  Result<void> check_state(const run::Commit& commit, const run::NodeCreated& created,
                           const std::optional<run::StoredSnapshot>& snapshot,
                           const run::NodeRow& row, const std::optional<run::NodeRow>& parent,
                           const std::vector<run::Event>& events) {
    run::NodeState state;
    state.session = commit.session;
    if (parent) {
      const auto loaded = load_state({store_, caches_}, *parent);
      if (!loaded) {
        problem(commit,
                cat("the state before ", created.node.text(), ": ", loaded.error().message));
        return {};
      }
      state = **loaded;
    }
    auto folded = run::fold(std::move(state), events);
    if (!folded) {
      problem(commit, folded.error().message);
      return {};
    }
    if (snapshot && snapshot->text != TRY(run::write_snapshot(*folded))) {
      problem(commit, "its snapshot does not fit the log");
    }
    caches_.states.put(row.no.value, *std::move(folded));
    return {};
  }

  void problem_of(std::string name) {
    if (report_.problems.size() >= limits::verify_problems_max) return;
    report_.problems.push_back(std::move(name) + ": its entry does not fit the log");
  }

  /// What the log says of a run, in little room.
  struct RunFacts {
    run::CommitIndex::Run started;
    WallMs started_at;
    SessionId session;
    run::NodeNo tip;
    WallMs tip_at;
    bool is_complete = false;
    std::int64_t nodes = 0;
    // Tokens are void at exactly the nodes made before the last revocation.
    run::CommitNo last_revoked;
    run::CommitNo last_void;
    run::CommitNo first_good;  // 0: none
  };

  static bool fits(const run::RunRow& row, const RunFacts& facts) {
    const bool revoked_fits =
        facts.last_void <= facts.last_revoked &&
        (facts.first_good.value == 0 || facts.first_good >= facts.last_revoked);
    const bool active_fits =
        row.last_commit > facts.tip.commit() ||
        (row.last_commit == facts.tip.commit() && row.last_active == facts.tip_at);
    return revoked_fits && active_fits && row.session == facts.session &&
           row.workflow_id == facts.started.workflow_id &&
           row.workflow_hash == facts.started.workflow_hash && row.goal == facts.started.goal &&
           row.parent == facts.started.parent && row.started == facts.started_at &&
           row.tip == facts.tip && row.nodes == facts.nodes && row.is_complete == facts.is_complete;
  }

  Result<void> check_runs() {
    for (const auto& [id, facts] : facts_) {
      const auto row = TRY(store_.run(id));
      if (!row || !fits(*row, facts)) problem_of(id.text());
    }
    return check_list();
  }

  /// The list of runs has each of them once, the latest active first.
  Result<void> check_list() {
    std::size_t listed = 0;
    std::optional<run::CommitNo> before;
    while (true) {
      const auto page = TRY(store_.runs(before, limits::log_page_commits));
      if (page.empty()) break;
      for (const run::RunRow& row : page) {
        if (before && row.last_commit >= *before) problem_of(row.run.text());
        before = row.last_commit;
        ++listed;
      }
    }
    if (listed != facts_.size()) problem_of("the list of runs");
    return {};
  }

  Result<void> check_heads() {
    for (const auto& [session, head] : heads_) {
      if (TRY(store_.head(session)) != head) problem_of(session.text());
    }
    return {};
  }

  ports::EventReader& store_;
  Caches caches_;
  std::map<SessionId, run::SessionHead> heads_;
  std::map<RunId, RunFacts> facts_;
  std::set<std::pair<NodeId, std::string>> settled_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> verify(ports::EventReader& store) { return Verifier(store).verify(); }

}  // namespace baton::verbs
