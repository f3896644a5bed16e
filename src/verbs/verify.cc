#include "verbs/verify.h"

#include <map>

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

  Result<void> check_index(const run::Commit& commit, const std::vector<run::Event>& events) {
    const run::CommitIndex index = run::index_of(events);
    for (std::size_t i = 0; i < index.nodes.size(); ++i) {
      ++report_.nodes;
      const run::NodeNo no = run::NodeNo::of(commit.no, i);
      const auto row = TRY(store_.node(no));
      if (!row) {
        problem(commit, cat(index.nodes[i].node.text(), " is not indexed"));
        continue;
      }
      TRY(check_node(commit, index.nodes[i], *row, events));
      tips_[index.nodes[i].run] = {commit.no, no, index.nodes[i].open_steps.empty()};
    }
    for (const run::CommitIndex::Attempt& attempt : index.attempts) {
      const auto node = TRY(store_.node_by_id(attempt.node));
      const auto outcome =
          node ? TRY(store_.attempt(node->no, attempt.key)) : std::optional<run::NodeNo>();
      if (!outcome || outcome->commit() != commit.no) problem(commit, "its attempt is not indexed");
    }
    return {};
  }

  Result<void> check_node(const run::Commit& commit, const run::NodeCreated& created,
                          const run::NodeRow& row, const std::vector<run::Event>& events) {
    const auto parent =
        created.parent ? TRY(store_.node_by_id(*created.parent)) : std::optional<run::NodeRow>();
    const bool parent_fits =
        created.parent ? parent && row.parent == parent->no && row.depth == parent->depth + 1
                       : !row.parent && row.depth == 0;
    if (!parent_fits || row.id != created.node || row.run != created.run ||
        row.session != commit.session || row.kind != created.kind ||
        row.open_steps != created.open_steps || row.settled_step != created.settled_step ||
        row.created != commit.at) {
      problem(commit, cat("the index of ", created.node.text(), " does not fit the log"));
    }
    return check_state(commit, created, row, parent, events);
  }

  /// The state at the node, folded from its parent's, must be what a snapshot of it says.
  Result<void> check_state(const run::Commit& commit, const run::NodeCreated& created,
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
    if (row.snapshot == row.no) {
      const auto snapshot = TRY(store_.snapshot(row.no));
      const auto expected = TRY(run::write_snapshot(*folded));
      if (!snapshot || *snapshot != expected) problem(commit, "its snapshot does not fit the log");
    }
    caches_.states.put(row.no.value, *std::move(folded));
    return {};
  }

  Result<void> check_runs() {
    for (const auto& [id, tip] : tips_) {
      const auto row = TRY(store_.run(id));
      if (row && row->tip == tip.node && row->last_commit.value >= tip.commit.value &&
          row->is_complete == tip.is_complete) {
        continue;
      }
      if (report_.problems.size() < limits::verify_problems_max) {
        report_.problems.push_back(cat(id.text(), ": its entry does not fit the log"));
      }
    }
    return {};
  }

  struct Tip {
    run::CommitNo commit;
    run::NodeNo node;
    bool is_complete = false;
  };

  ports::EventReader& store_;
  Caches caches_;
  std::map<SessionId, run::SessionHead> heads_;
  std::map<RunId, Tip> tips_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> verify(ports::EventReader& store) { return Verifier(store).verify(); }

}  // namespace baton::verbs
