#include "verbs/load.h"

#include <ranges>

#include "base/text.h"

namespace baton::verbs {
namespace {

/// The nodes from just below the snapshot (or from the root) down to `node`, newest first.
Result<std::vector<run::NodeRow>> path_below_snapshot(const Loading& loading,
                                                      const run::NodeRow& node) {
  std::vector<run::NodeRow> path;
  run::NodeRow at = node;
  while (at.snapshot != at.no) {
    path.push_back(at);
    if (!at.parent) break;
    at = TRY(load_node(loading, *at.parent));
  }
  return path;
}

}  // namespace

Result<run::NodeRow> load_node(const Loading& loading, run::NodeNo no) {
  auto row = TRY(loading.store.node(no));
  if (!row) return fail(Code::STORE_CORRUPT, cat("node number ", no.value, " is missing"));
  return *std::move(row);
}

Result<run::NodeRow> load_node(const Loading& loading, const NodeId& id) {
  auto row = TRY(loading.store.node_by_id(id));
  if (!row) return fail(Code::STORE_CORRUPT, cat(id.text(), " is missing"));
  return *std::move(row);
}

Result<std::vector<run::Event>> load_events(ports::EventReader& store, run::CommitNo no) {
  const auto commit = TRY(store.commit(no));
  if (!commit) return fail(Code::STORE_CORRUPT, cat("commit ", no.value, " is missing"));
  return run::decode_events(commit->body);
}

Result<std::shared_ptr<const run::NodeState>> load_state(const Loading& loading,
                                                         const run::NodeRow& node) {
  if (auto cached = loading.caches.states.find(node.no.value)) return cached;
  run::NodeState state;
  state.session = node.session;
  if (node.snapshot) {
    const auto stored = TRY(loading.store.snapshot(*node.snapshot));
    if (!stored)
      return fail(Code::STORE_CORRUPT, cat("the snapshot of ", node.id.text(), " is gone"));
    state = TRY(run::read_snapshot(stored->text));
  }
  const std::vector<run::NodeRow> path = TRY(path_below_snapshot(loading, node));
  for (const run::NodeRow& row : path | std::views::reverse) {
    const auto events = TRY(load_events(loading.store, row.no.commit()));
    state = TRY(run::fold(std::move(state), events));
  }
  if (state.node != node.id) {
    return fail(Code::STORE_CORRUPT, cat("the path to ", node.id.text(), " ends elsewhere"));
  }
  return loading.caches.states.put(node.no.value, std::move(state));
}

Result<std::shared_ptr<const workflow::Pinned>> load_workflow(const Loading& loading,
                                                              const Sha256& hash) {
  const std::string key = hash.hex();
  if (auto cached = loading.caches.workflows.find(key)) return cached;
  auto text = TRY(loading.store.workflow(hash));
  if (!text) return fail(Code::STORE_CORRUPT, cat("the pinned workflow ", key, " is missing"));
  return loading.caches.workflows.put(key, TRY(workflow::unpin(*std::move(text), hash)));
}

Result<std::shared_ptr<const run::Schemas>> load_schemas(const Loading& loading,
                                                         const Sha256& hash) {
  const std::string key = hash.hex();
  if (const auto cached = loading.caches.schemas.find(key)) return *cached;
  const auto pinned = TRY(load_workflow(loading, hash));
  return *loading.caches.schemas.put(key, TRY(run::Schemas::of(pinned->workflow)));
}

Result<std::string> StoreBlobs::blob(const Sha256& hash) {
  auto text = TRY(store_.blob(hash));
  if (!text || sha256(*text) != hash) {
    return fail(Code::STORE_CORRUPT, cat("the text ", hash.hex(), " is missing or was changed"));
  }
  return *std::move(text);
}

}  // namespace baton::verbs
