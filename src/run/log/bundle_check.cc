#include "run/log/bundle_check.h"

#include <set>

#include "base/core/overloaded.h"
#include "base/text/text.h"
#include "run/decide/decide.h"
#include "run/show/reply.h"

namespace baton::run {
namespace {

class BundleBlobs final : public BlobReader {
 public:
  explicit BundleBlobs(const Bundle& bundle) : bundle_(bundle) {}
  Result<std::string> blob(const Sha256& hash) override {
    const auto found = bundle_.blobs.find(hash);
    if (found == bundle_.blobs.end()) {
      return fail(Code::BUNDLE_MISSING_SNAPSHOT,
                  cat("the text ", hash.hex(), " is not in the bundle"));
    }
    return found->second;
  }

 private:
  const Bundle& bundle_;
};

std::unexpected<Error> disordered(std::string what) {
  return fail(Code::BUNDLE_EVENT_ORDER_INVALID, std::move(what));
}

std::unexpected<Error> malformed(std::string what) {
  return fail(Code::BUNDLE_INVALID_FORMAT, std::move(what));
}

class MeaningCheck {
 public:
  explicit MeaningCheck(const Bundle& bundle) : bundle_(bundle), blobs_(bundle) {}

  Result<void> check() {
    for (const auto& [hash, text] : bundle_.workflows) TRY(workflow::unpin(text, hash));
    for (const Commit& commit : bundle_.commits) TRY(check_commit(commit));
    for (const auto& [node, text] : bundle_.snapshots) {
      const auto state = states_.find(node);
      if (state == states_.end() || TRY(write_snapshot(state->second)) != text) {
        return fail(Code::BUNDLE_INTEGRITY_FAILED,
                    cat("the snapshot of ", node.text(), " is not what the log says"));
      }
    }
    return {};
  }

 private:
  Result<void> check_commit(const Commit& commit) {
    const auto events = TRY(decode_events(commit.body));
    if (TRY(encode_events(events)) != commit.body) {
      return malformed(cat("commit ", commit.seq.value, " is not in Baton's canonical form"));
    }
    if (events.empty() || commit.dedupe_key.empty()) {
      return malformed(cat("commit ", commit.seq.value, " has no events or no key"));
    }
    if (!keys_.insert(commit.dedupe_key).second) {
      return disordered(cat("commit ", commit.seq.value, " repeats an earlier one's key"));
    }
    TRY(check_node(events));
    for (const Event& event : events) {
      TRY(std::visit([&](const auto& e) { return check_event(commit, e); }, event));
    }
    return {};
  }

  /// A commit starts at most one run and makes at most one node, below one made before.
  Result<void> check_node(const std::vector<Event>& events) {
    for (const Event& event : events) {
      const auto* started = std::get_if<RunStarted>(&event);
      if (started != nullptr && !runs_.insert(started->run).second) {
        return disordered(cat(started->run.text(), " is started twice"));
      }
    }
    const CommitIndex index = index_of(events);
    if (index.nodes.empty()) return {};
    const NodeOutline& created = index.nodes.front();
    if (index.nodes.size() > 1) return malformed("a commit creates more than one node");
    NodeState state;
    state.session = bundle_.session;
    if (created.parent) {
      const auto parent = states_.find(*created.parent);
      if (parent == states_.end()) {
        return disordered(cat(created.id.text(), " comes before its parent"));
      }
      state = parent->second;
    }
    NodeState folded = TRY(fold(std::move(state), events));
    if (!states_.emplace(created.id, std::move(folded)).second) {
      return disordered(cat(created.id.text(), " is created twice"));
    }
    return {};
  }

  Result<void> known(const RunId& run) const {
    if (runs_.contains(run)) return {};
    return disordered(cat(run.text(), " is named before it is started"));
  }

  Result<void> known(const RunId& run, const NodeId& node) const {
    TRY(known(run));
    const auto state = states_.find(node);
    if (state != states_.end() && state->second.run == run) return {};
    return disordered(cat(node.text(), " is named before it is created"));
  }

  Result<void> check_event(const Commit&, const SessionCreated&) { return {}; }

  Result<void> check_event(const Commit&, const RunStarted& e) {
    if (bundle_.workflows.contains(e.workflow_hash)) return {};
    return fail(Code::BUNDLE_MISSING_PINNED_WORKFLOW,
                cat(e.run.text(), " has no pinned workflow in the bundle"));
  }

  Result<void> check_event(const Commit&, const EdgeCreated& e) {
    TRY(known(e.run, e.from));
    return known(e.run, e.to);
  }

  Result<void> check_event(const Commit& commit, const AdvanceRecorded& e) {
    TRY(known(e.run, e.node));
    TRY(known(e.run, e.to));
    if (commit.dedupe_key != attempt_dedupe_key(e.node, e.attempt)) {
      return malformed(cat("commit ", commit.seq.value, " has the key of another attempt"));
    }
    const Reply reply = TRY(restore_reply(e.reply, blobs_));
    const auto about_new_node = [&](const std::optional<TokenClaim>& claim) {
      return !claim || claim->node == e.to;
    };
    if (reply.session != bundle_.session || reply.run != e.run || !about_new_node(reply.state) ||
        !about_new_node(reply.ack) || !about_new_node(reply.checkpoint) ||
        reply.checkpoint_node.value_or(e.to) != e.to) {
      return malformed(cat("the reply recorded in commit ", commit.seq.value, " is not its own"));
    }
    return {};
  }

  Result<void> check_event(const Commit&, const NodeOutputAppended& e) {
    const auto* artifact = std::get_if<Artifact>(&e.payload);
    if (artifact != nullptr && sha256(TRY(json::canonical(artifact->content))) != artifact->hash) {
      return fail(Code::BUNDLE_INTEGRITY_FAILED, "an artifact does not match its hash");
    }
    return known(e.run, e.node);
  }

  Result<void> check_event(const Commit&, const TokensRevoked& e) { return known(e.run); }
  Result<void> check_event(const Commit&, const ObservationRecorded& e) { return known(e.run); }

  Result<void> check_event(const Commit& commit, const McpTaskChanged&) {
    return fail(Code::BUNDLE_INVALID_FORMAT,
                cat("commit ", commit.seq.value, " belongs to a task, not to a run"));
  }

  Result<void> check_event(const Commit&, const ProcessFinished& e) {
    TRY(known(e.run, e.intended));
    return known(e.run, e.node);
  }

  Result<void> check_event(const Commit&, const auto& e) { return known(e.run, e.node); }

  const Bundle& bundle_;
  BundleBlobs blobs_;
  std::set<RunId> runs_;
  std::set<std::string> keys_;
  std::map<NodeId, NodeState> states_;
};

}  // namespace

Result<void> check_meaning(const Bundle& bundle) { return MeaningCheck(bundle).check(); }

}  // namespace baton::run
