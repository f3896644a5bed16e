#include "verbs/store/import_bundle.h"

#include "engine/load/load.h"
#include "run/log/bundle.h"

namespace baton::verbs {
namespace {

/// Whether any id of the bundle is known here already.
Result<bool> collides(ports::EventReader& store, const run::Bundle& bundle,
                      const run::BundleIds& ids) {
  // What is damaged here takes its names all the same.
  const auto is_taken = [](const auto& found) -> Result<bool> {
    if (!found && engine::is_damage(found.error())) return true;
    return TRY(found).has_value();
  };
  const auto head = store.head(bundle.session);
  if (!head && engine::is_damage(head.error())) return true;
  if (TRY(head).seq.value != 0) return true;
  if (TRY(store.purged(bundle.session))) return true;
  if (bundle.session == run::approvals_session) return true;
  for (const RunId& run : ids.runs) {
    if (TRY(is_taken(store.run(run)))) return true;
  }
  for (const NodeId& node : ids.nodes) {
    if (TRY(is_taken(store.node_by_id(node)))) return true;
  }
  return false;
}

run::Renaming fresh_names(engine::IdSource& source, const run::Bundle& bundle,
                          const run::BundleIds& ids) {
  run::Renaming names;
  names.sessions[bundle.session] = source.next<SessionId>();
  for (const RunId& run : ids.runs) names.runs[run] = source.next<RunId>();
  for (const NodeId& node : ids.nodes) names.nodes[node] = source.next<NodeId>();
  return names;
}

/// A seal is bound to the store it was made for, and this one saw neither the terminal nor the
/// form. What a person said there is a claim here.
void make_claim(run::GateWord& word) {
  word.seal.reset();
  word.assurance = run::Assurance::claimed;
}

Result<std::vector<run::Event>> events_to_import(const run::Commit& commit) {
  std::vector<run::Event> events = TRY(run::decode_events(commit.body));
  for (run::Event& event : events) {
    if (auto* answered = std::get_if<run::GateAnswered>(&event)) make_claim(answered->word);
    if (auto* decided = std::get_if<run::GateDecided>(&event)) make_claim(decided->word);
  }
  return events;
}

/// Notes behind the commits of a bundle that its decisions were made elsewhere; nothing where it
/// has no decision.
std::optional<run::CommitDraft> note_of_import(std::span<const run::CommitDraft> drafts,
                                               WallMs now) {
  run::DecisionsImported note{.number = 1, .commits = std::ssize(drafts)};
  bool has_decisions = false;
  for (const run::CommitDraft& draft : drafts) {
    for (const run::Event& event : draft.events) {
      has_decisions = has_decisions || std::holds_alternative<run::GateAnswered>(event) ||
                      std::holds_alternative<run::GateDecided>(event);
      if (std::holds_alternative<run::DecisionsImported>(event)) ++note.number;
    }
  }
  if (!has_decisions) return std::nullopt;
  run::CommitDraft out(drafts.front().session, run::owner_key(note), now, {run::Event(note)});
  out.expected = run::Seq{note.commits};
  return out;
}

/// The bundle as drafts of its commits. A text goes in with the commits that refer to it.
Result<std::vector<run::CommitDraft>> drafts_of(const run::Bundle& bundle) {
  std::vector<run::CommitDraft> drafts;
  for (const run::Commit& commit : bundle.commits) {
    run::CommitDraft draft(bundle.session, commit.dedupe_key, commit.at,
                           TRY(events_to_import(commit)));
    draft.expected = run::Seq{commit.seq.value - 1};
    for (const Sha256& hash : run::contents_of(draft.events)) {
      const auto blob = bundle.blobs.find(hash);
      if (blob != bundle.blobs.end()) draft.blobs.emplace_back(blob->second);
    }
    const run::CommitIndex index = run::index_of(draft.events);
    if (index.started) {
      draft.workflow.emplace(bundle.workflows.at(index.started->workflow_hash));
    }
    if (!index.nodes.empty()) {
      const auto snapshot = bundle.snapshots.find(index.nodes.front().id);
      if (snapshot != bundle.snapshots.end()) draft.snapshot = snapshot->second;
    }
    drafts.push_back(std::move(draft));
  }
  return drafts;
}

}  // namespace

Result<Imported> import_bundle(engine::Engine& engine, std::string_view text) {
  run::Bundle bundle = TRY(run::decode_bundle(text));
  run::BundleIds ids = TRY(run::ids_in(bundle));
  Imported imported;
  if (TRY(collides(engine.store, bundle, ids))) {
    bundle = TRY(run::rename(bundle, fresh_names(engine.ids, bundle, ids)));
    ids = TRY(run::ids_in(bundle));
    imported.renamed = true;
  }
  std::vector<run::CommitDraft> drafts = TRY(drafts_of(bundle));
  if (auto note = note_of_import(drafts, engine.clock.wall())) drafts.push_back(*std::move(note));
  TRY(engine.store.append_all(std::move(drafts)));
  imported.session = bundle.session;
  imported.runs = ids.runs;
  imported.commits = static_cast<std::int64_t>(bundle.commits.size());
  return imported;
}

}  // namespace baton::verbs
