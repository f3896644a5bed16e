#include "engine/load/load.h"

#include <ranges>

namespace baton::engine {
namespace {

std::unexpected<Error> missing(std::string_view what) {
  return fail(Code::STORAGE_CORRUPTION_DETECTED, cat(what, " is missing in the store"),
              Move::rebuild_store);
}

/// A state to fold from, and the nodes below it, the newest first.
struct Path {
  run::NodeState base;
  std::vector<run::NodeRow> nodes;
  std::optional<run::NodeNo> unsealed;  // the lowest of them whose snapshot cannot be trusted
};

/// The snapshot of a node; nothing when it has none that can be trusted.
Result<std::optional<run::NodeState>> sealed_state(const LoadContext& loading,
                                                   const run::NodeRow& node) {
  const auto stored = TRY(loading.store.snapshot(node.no));
  if (!stored || !stored->is_sealed) return std::nullopt;
  auto state = run::read_snapshot(stored->text);
  if (!state && state.error().code == Code::STORE_NEWER) return std::unexpected(state.error());
  if (!state || state->node != node.id || state->session != node.session) return std::nullopt;
  return *std::move(state);
}

/// Whether a row has a snapshot decides only how far back this looks, so that one which says so
/// wrongly costs time and nothing else.
Result<Path> path_to(const LoadContext& loading, const run::NodeRow& node) {
  Path path;
  path.base.session = node.session;
  run::NodeRow at = node;
  while (true) {
    if (const auto known = loading.caches.states.find(at.no.value)) {
      path.base = *known;
      return path;
    }
    if (at.snapshot == at.no) {
      if (auto state = TRY(sealed_state(loading, at))) {
        path.base = *std::move(state);
        return path;
      }
      if (!path.unsealed) path.unsealed = at.no;
    }
    path.nodes.push_back(at);
    if (!at.parent) return path;
    at = TRY(load_parent(loading, at));
  }
}

}  // namespace

Result<run::NodeRow> load_node(const LoadContext& loading, run::NodeNo no) {
  auto row = TRY(loading.store.node(no));
  if (!row) return missing(cat("node number ", no.value));
  return *std::move(row);
}

Result<run::NodeRow> load_node(const LoadContext& loading, const NodeId& id) {
  auto row = TRY(loading.store.node_by_id(id));
  if (!row) return missing(id.text());
  return *std::move(row);
}

Result<run::NodeRow> load_parent(const LoadContext& loading, const run::NodeRow& node) {
  auto parent = TRY(loading.store.node(*node.parent));
  if (!parent) {
    if (TRY(loading.store.purged(node.session))) return missing(node.session.text());
    return close_session(loading.caches, node.session,
                         cat("the history of ", node.session.text(),
                             " is inconsistent: the node above ", node.id.text(), " is missing"));
  }
  const auto commit = loading.caches.outlines.find(node.no.commit().value);
  const auto misfit = commit != nullptr ? run::place_misfit(node, *parent, *commit) : std::nullopt;
  if (misfit) {
    return close_session(loading.caches, node.session,
                         cat("the history of ", node.session.text(), " is inconsistent: commit ",
                             node.no.commit().value, ": ", *misfit));
  }
  return *std::move(parent);
}

Result<std::vector<run::Event>> events_of(const run::Commit& commit) {
  auto events = run::decode_events(commit.body);
  if (events || events.error().code != Code::STORE_CORRUPT) return events;
  return fail(
      Code::STORAGE_CORRUPTION_DETECTED,
      cat("commit ", commit.no.value, " of ", commit.session.text(), ": ", events.error().message),
      Move::check_store);
}

Result<CommitEvents> load_events(const LoadContext& loading, run::CommitNo no) {
  if (auto known = loading.caches.events.find(no.value)) return CommitEvents(std::move(known));
  const auto commit = TRY(loading.store.commit(no));
  if (!commit) return missing(cat("commit ", no.value));
  auto events = TRY(of_session(loading, commit->session, run::decode_events(commit->body)));
  if (commit->body.size() > limits::cached_commit_bytes_max) {
    return CommitEvents(std::make_shared<const std::vector<run::Event>>(std::move(events)));
  }
  return CommitEvents(loading.caches.events.put(no.value, std::move(events)));
}

Result<std::shared_ptr<const run::NodeState>> load_state(const LoadContext& loading,
                                                         const run::NodeRow& node) {
  if (auto cached = loading.caches.states.find(node.no.value)) return cached;
  Path path = TRY(path_to(loading, node));
  run::NodeState state = std::move(path.base);
  for (const run::NodeRow& row : path.nodes | std::views::reverse) {
    const CommitEvents events = TRY(load_events(loading, row.no.commit()));
    state = TRY(of_session(loading, node.session, run::fold(std::move(state), events)));
    if (row.no == path.unsealed) {
      loading.caches.reseals.put(node.session, row.no, TRY(run::write_snapshot(state)));
    }
  }
  if (state.node != node.id) {
    return close_session(loading.caches, node.session,
                         cat("the history of ", node.session.text(), " is damaged: the path to ",
                             node.id.text(), " ends at ", state.node.text()));
  }
  return loading.caches.states.put(node.no.value, std::move(state));
}

Result<std::shared_ptr<const workflow::Pinned>> load_workflow(const LoadContext& loading,
                                                              const Sha256& hash) {
  const std::string key = hash.hex();
  if (auto cached = loading.caches.workflows.find(key)) return cached;
  auto text = TRY(loading.store.workflow(hash));
  if (!text) return missing(cat("the pinned workflow ", key));
  auto pinned = workflow::unpin(*std::move(text), hash);
  if (!pinned && pinned.error().code == Code::STORE_CORRUPT) {
    return fail(Code::STORAGE_CORRUPTION_DETECTED, pinned.error().message, Move::check_store);
  }
  return loading.caches.workflows.put(key, TRY(std::move(pinned)));
}

Result<std::shared_ptr<const run::Schemas>> load_schemas(const LoadContext& loading,
                                                         const Sha256& hash) {
  const std::string key = hash.hex();
  if (const auto cached = loading.caches.schemas.find(key)) return *cached;
  const auto pinned = TRY(load_workflow(loading, hash));
  return *loading.caches.schemas.put(key, TRY(run::Schemas::of(pinned->workflow)));
}

Result<std::string> StoreBlobs::blob(const Sha256& hash) {
  auto text = store_.blob(hash);
  const bool is_changed = !text && text.error().code == Code::STORAGE_CORRUPTION_DETECTED;
  if (!text && !is_changed) return std::unexpected(text.error());
  if (is_changed || !*text || sha256(**text) != hash) {
    return close_session(caches_, session_,
                         cat("the history of ", session_.text(), " is inconsistent: the text ",
                             hash.hex(), " is missing or was changed"));
  }
  return **std::move(text);
}

}  // namespace baton::engine
