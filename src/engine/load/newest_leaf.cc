#include "engine/load/newest_leaf.h"

#include <queue>

#include "engine/load/load.h"

namespace baton::engine {
namespace {

using run::NodeNo;
using run::NodeRow;

/// The way from `node` down to `tip`; nothing when `tip` is not below it, as far as is looked.
Result<std::optional<SessionNodes::Way>> way_to(const LoadContext& loading, const NodeRow& node,
                                                NodeRow tip) {
  // Asking for the node's children has followed the log from there.
  if (const auto followed = loading.caches.followed.find(node.session)) {
    const auto nodes = Guarded<SessionNodes>::hold(*followed);
    if (nodes->parents.contains(node.no)) return nodes->way(node.no, tip.no);
  }
  SessionNodes::Way way{tip.no, 0};
  while (tip.no > node.no) {
    if (way.length == static_cast<std::int64_t>(limits::recap_walk_nodes_max)) return std::nullopt;
    way = {tip.no, way.length + 1};
    if (!tip.parent) return std::nullopt;
    tip = TRY(load_parent(loading, tip));
  }
  return tip.no == node.no ? std::optional(way) : std::nullopt;
}

/// The newest node below `node`, of those looked at: a node's number grows with its commit's, so
/// the newest of all is a leaf and has the latest activity.
Result<NodeRow> newest_below(const LoadContext& loading, const NodeRow& node) {
  std::priority_queue<std::int64_t> open;
  NodeRow newest = node;
  open.push(node.no.value);
  for (std::size_t looked = 0; !open.empty() && looked < limits::recap_walk_nodes_max; ++looked) {
    const NodeNo at{open.top()};
    open.pop();
    for (NodeRow& child : TRY(loading.store.children(at, limits::recap_walk_nodes_max))) {
      open.push(child.no.value);
      if (child.no > newest.no) newest = std::move(child);
    }
  }
  return newest;
}

}  // namespace

Result<Leaf> newest_leaf(const LoadContext& loading, const NodeRow& node) {
  // The run's own tip is it, if it is below.
  if (const auto run = TRY(loading.store.run(node.run))) {
    NodeRow tip = TRY(load_node(loading, run->tip));
    if (const auto way = TRY(way_to(loading, node, tip))) return Leaf{std::move(tip), *way};
  }
  NodeRow tip = TRY(newest_below(loading, node));
  const auto way = TRY(way_to(loading, node, tip));
  return Leaf{std::move(tip), way.value_or(SessionNodes::Way{})};
}

}  // namespace baton::engine
