#include "run/log/bundle.h"

#include <algorithm>
#include <set>

#include "base/core/overloaded.h"
#include "base/json/fields.h"
#include "base/text/text.h"
#include "run/decide/decision.h"
#include "run/graph/snapshot_check.h"
#include "run/show/reply.h"

namespace baton::run {
namespace {

using json::Array;
using json::Fields;
using json::Object;
using json::Value;

/// The newest version of a bundle that this release reads and writes.
constexpr std::int64_t bundle_version = 2;
constexpr json::ReadLimits bundle_bounds{limits::bundle_bytes_max, limits::commit_depth_max + 8};

Result<Value> parse_part(std::string_view text) {
  return json::parse(text, {limits::bundle_bytes_max, limits::commit_depth_max});
}

/// One line of the manifest: which part, its name, and the digest of its canonical text.
Object manifest_line(std::string_view part, std::string name, std::string_view canonical) {
  return {{"part", part}, {"name", std::move(name)}, {"sha256", sha256(canonical).hex()}};
}

Result<Object> commit_json(const Commit& commit) {
  Value body = TRY(parse_part(commit.body));
  return Object{{"seq", commit.seq.value},   {"key", commit.dedupe_key},
                {"at_ms", commit.at.value},  {"previous", commit.previous.hex()},
                {"hash", commit.hash.hex()}, {"body", std::move(body)}};
}

/// The lowest version of a bundle whose readers know all that its workflows have.
std::int64_t version_of(const Bundle& bundle) {
  return std::ranges::any_of(bundle.workflows,
                             [](const auto& each) {
                               const auto pinned = workflow::unpin(each.second, each.first);
                               return pinned && pinned->form > 1;
                             })
             ? 2
             : 1;
}

/// What the manifest of a bundle must say, in its order.
Result<Array> manifest_of(const Bundle& bundle) {
  Array lines;
  for (const Commit& commit : bundle.commits) {
    const std::string text = TRY(json::canonical(TRY(commit_json(commit))));
    lines.emplace_back(manifest_line("commit", cat(commit.seq.value), text));
  }
  for (const auto& [hash, text] : bundle.workflows) {
    lines.emplace_back(manifest_line("workflow", hash.hex(), text));
  }
  for (const auto& [hash, text] : bundle.blobs) {
    lines.emplace_back(manifest_line("blob", hash.hex(), TRY(json::canonical(text))));
  }
  for (const auto& [node, text] : bundle.snapshots) {
    lines.emplace_back(manifest_line("snapshot", node.text(), text));
  }
  return lines;
}

Result<Commit> commit_from(const Value& value, const SessionId& session) {
  Fields f(value, "bundle commit", Code::BUNDLE_INVALID_FORMAT);
  Commit commit;
  commit.session = session;
  commit.seq.value = TRY(f.integer("seq"));
  commit.dedupe_key = TRY(f.string("key"));
  commit.at.value = TRY(f.integer("at_ms"));
  commit.previous = TRY(f.sha256("previous"));
  commit.hash = TRY(f.sha256("hash"));
  commit.body = TRY(json::canonical(*TRY(f.any("body"))));
  TRY(f.done());
  return commit;
}

Result<Bundle> read_parts(Fields& f) {
  Bundle bundle;
  bundle.session = TRY(f.id<SessionId>("session"));
  for (const Value& value : *TRY(f.array("commits"))) {
    bundle.commits.push_back(TRY(commit_from(value, bundle.session)));
  }
  for (const Value& value : *TRY(f.array("workflows"))) {
    std::string text = TRY(json::canonical(value));
    const Sha256 hash = sha256(text);
    bundle.workflows.emplace(hash, std::move(text));
  }
  for (std::string& text : TRY(f.strings("blobs"))) {
    const Sha256 hash = sha256(text);
    bundle.blobs.emplace(hash, std::move(text));
  }
  for (const Value& value : *TRY(f.array("snapshots"))) {
    std::string text = TRY(json::canonical(value));
    const NodeState state = TRY(read_snapshot(text));
    bundle.snapshots.emplace(state.node, std::move(text));
  }
  return bundle;
}

/// The manifest must list the same parts in the same order, each with its digest.
Result<void> check_manifest(const Bundle& bundle, const Array& found) {
  const Array expected = TRY(manifest_of(bundle));
  if (found.size() != expected.size()) {
    return fail(Code::BUNDLE_INTEGRITY_FAILED, cat("the manifest lists ", found.size(),
                                                   " parts, the bundle has ", expected.size()));
  }
  const auto name = [](const Value& line) {
    const Value* part = line.find("part");
    const Value* id = line.find("name");
    return std::pair(part != nullptr ? *part : Value(), id != nullptr ? *id : Value());
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (name(found[i]) != name(expected[i])) {
      return fail(Code::BUNDLE_MANIFEST_ORDER_INVALID,
                  cat("line ", i + 1, " of the manifest does not name the part at that position"));
    }
    if (found[i] != expected[i]) {
      return fail(Code::BUNDLE_INTEGRITY_FAILED,
                  cat("line ", i + 1, " of the manifest does not match its part"));
    }
  }
  return {};
}

Result<void> check_chain(const Bundle& bundle) {
  if (bundle.commits.empty()) return fail(Code::BUNDLE_INVALID_FORMAT, "the bundle has no commits");
  Seq seq;
  Sha256 previous;
  for (const Commit& commit : bundle.commits) {
    if (commit.seq.value != ++seq.value) {
      return fail(Code::BUNDLE_EVENT_ORDER_INVALID,
                  cat("commit ", commit.seq.value, " is at position ", seq.value));
    }
    if (commit.previous != previous || commit_hash(commit) != commit.hash) {
      return fail(Code::BUNDLE_INTEGRITY_FAILED,
                  cat("the hash chain breaks at commit ", commit.seq.value));
    }
    previous = commit.hash;
  }
  return {};
}

Result<Bundle> read_and_check(std::string_view text) {
  const Value parsed = TRY(json::parse(text, bundle_bounds));
  Fields f(parsed, "bundle", Code::BUNDLE_INVALID_FORMAT);
  if (TRY(f.string("kind")) != "baton_bundle") return f.wrong("kind", "\"baton_bundle\"");
  if (const std::int64_t version = TRY(f.integer("v")); version < 1 || version > bundle_version) {
    return fail(Code::BUNDLE_UNSUPPORTED_VERSION,
                cat("the bundle has version ", version, "; this release reads versions 1 to ",
                    bundle_version));
  }
  Bundle bundle = TRY(read_parts(f));
  const Array* manifest = TRY(f.array("manifest"));
  TRY(f.done());
  TRY(check_manifest(bundle, *manifest));
  TRY(check_chain(bundle));
  TRY(check_meaning(bundle));
  return bundle;
}

// --- whether its commits make sense together ---

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
      if (state == states_.end() || !is_snapshot_of(text, state->second)) {
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
    return reply.left ? known(e.run, reply.left->tip.node) : Result<void>();
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
  Result<void> check_event(const Commit& commit, const RunHeld& e) { return check_word(commit, e); }
  Result<void> check_event(const Commit& commit, const GuidanceGiven& e) {
    return check_word(commit, e);
  }
  Result<void> check_event(const Commit&, const GateOpened& e) { return known(e.run, e.gate.node); }
  Result<void> check_event(const Commit& commit, const GateAnswered& e) {
    TRY(check_word(commit, e));
    return known(e.run, e.word.gate);
  }
  Result<void> check_event(const Commit&, const GateDecided& e) {
    TRY(known(e.run, e.word.gate));
    return known(e.run, e.node);
  }
  Result<void> check_event(const Commit&, const EffectReused& e) {
    TRY(known(e.run, e.from));
    return known(e.run, e.node);
  }
  Result<void> check_event(const Commit& commit, const UndoIntended& e) {
    TRY(check_word(commit, e));
    return known(e.run, e.effect);
  }
  Result<void> check_event(const Commit& commit, const UndoFinished& e) {
    return check_word(commit, e);
  }

  /// What was imported once may be exported again.
  Result<void> check_event(const Commit& commit, const DecisionsImported& e) {
    if (commit.dedupe_key == owner_key(e) && e.commits < commit.seq.value) return {};
    return malformed(cat("commit ", commit.seq.value, " tells of another import"));
  }

  /// The owner's word is found by its key.
  template <class Word>
  Result<void> check_word(const Commit& commit, const Word& e) {
    if (commit.dedupe_key != owner_key(e)) {
      return malformed(cat("commit ", commit.seq.value, " has the key of another act"));
    }
    return known(e.run);
  }

  Result<void> check_event(const Commit& commit, const McpTaskChanged&) {
    return fail(Code::BUNDLE_INVALID_FORMAT,
                cat("commit ", commit.seq.value, " belongs to a task, not to a run"));
  }

  Result<void> check_event(const Commit& commit, const ApprovalKeyChanged&) {
    return of_a_store(commit);
  }
  Result<void> check_event(const Commit& commit, const PolicySigned&) { return of_a_store(commit); }

  /// What a store knows of its owners is not for another store to take over.
  static Result<void> of_a_store(const Commit& commit) {
    return malformed(cat("commit ", commit.seq.value, " belongs to a store, not to a run"));
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

Result<std::string> encode_bundle(const Bundle& bundle) {
  Array commits, workflows, blobs, snapshots;
  for (const Commit& commit : bundle.commits) commits.emplace_back(TRY(commit_json(commit)));
  for (const auto& [hash, text] : bundle.workflows) workflows.push_back(TRY(parse_part(text)));
  for (const auto& [hash, text] : bundle.blobs) blobs.emplace_back(text);
  for (const auto& [node, text] : bundle.snapshots) snapshots.push_back(TRY(parse_part(text)));
  Array manifest = TRY(manifest_of(bundle));
  std::string text = TRY(json::canonical(Object{{"kind", "baton_bundle"},
                                                {"v", version_of(bundle)},
                                                {"session", bundle.session.text()},
                                                {"commits", std::move(commits)},
                                                {"workflows", std::move(workflows)},
                                                {"blobs", std::move(blobs)},
                                                {"snapshots", std::move(snapshots)},
                                                {"manifest", std::move(manifest)}}));
  if (text.size() > limits::bundle_bytes_max) {
    return fail(Code::LIMIT_EXCEEDED, cat("the bundle would have ", text.size(), " bytes; at most ",
                                          limits::bundle_bytes_max, " are allowed"));
  }
  return text;
}

Result<Bundle> decode_bundle(std::string_view text) {
  auto bundle = read_and_check(text);
  if (bundle || name_of(bundle.error().code).starts_with("BUNDLE_")) return bundle;
  // What a part's own reader says of it is, to the one who imports it, a bundle that is not one.
  return fail(Code::BUNDLE_INVALID_FORMAT, std::move(bundle).error().message);
}

}  // namespace baton::run
