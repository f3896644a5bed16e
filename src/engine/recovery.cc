#include "engine/recovery.h"

#include <algorithm>
#include <queue>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "run/show/references.h"

namespace baton::engine {
namespace {

using run::NodeNo;
using run::NodeRow;

Result<run::RecapEntry> entry_of(const LoadContext& loading, const NodeRow& node) {
  return run::recap_entry(TRY(load_events(loading, node.no.commit())), node.id);
}

/// The recap of the `entries` nodes from `newest` on upwards.
Result<std::string> recap_of(const LoadContext& loading, NodeRow newest, std::int64_t entries,
                             std::string_view heading, std::size_t bytes_max) {
  run::Recap recap(heading, bytes_max);
  for (std::int64_t left = entries; left > 0 && recap.add(TRY(entry_of(loading, newest)));) {
    if (--left == 0 || !newest.parent) break;
    newest = TRY(load_parent(loading, newest));
  }
  return std::move(recap).finish(entries);
}

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

/// A leaf below a node, and the way there.
struct Leaf {
  NodeRow tip;
  SessionNodes::Way way;
};

/// The leaf below `node` with the latest activity. The run's own tip is it, if it is below.
Result<Leaf> preferred_below(const LoadContext& loading, const NodeRow& node) {
  if (const auto run = TRY(loading.store.run(node.run))) {
    NodeRow tip = TRY(load_node(loading, run->tip));
    if (const auto way = TRY(way_to(loading, node, tip))) return Leaf{std::move(tip), *way};
  }
  NodeRow tip = TRY(newest_below(loading, node));
  const auto way = TRY(way_to(loading, node, tip));
  return Leaf{std::move(tip), way.value_or(SessionNodes::Way{})};
}

Result<Child> child_of(const LoadContext& loading, NodeRow row, NodeNo way) {
  const run::RecapEntry entry = TRY(entry_of(loading, row));
  const std::string line = run::first_line_of(entry.notes);
  Child child;
  child.label = line.empty() ? run::label_of(entry) : cat(run::label_of(entry), ": ", line);
  child.is_preferred = way == row.no;
  child.node = std::move(row);
  return child;
}

}  // namespace

Result<Recovery> recovery_at(const LoadContext& loading, const NodeRow& node,
                             const workflow::CompiledWorkflow& workflow, std::string_view prompt) {
  Recovery out;
  out.functions = run::functions_text(workflow, prompt);
  out.references = run::references_text(workflow, prompt);
  auto rows = TRY(loading.store.children(node.no, limits::recap_walk_nodes_max));
  std::size_t room = limits::recap_bytes_max;
  if (!rows.empty()) {
    const auto [tip, way] = TRY(preferred_below(loading, node));
    // The way there and the way on share the budget; what the way on leaves is the other's.
    out.recap = TRY(recap_of(loading, tip, way.length,
                             "Already done after this node, on the latest branch (newest first)",
                             node.depth == 0 ? room : room / 2));
    out.tip = tip;
    const std::size_t shown = std::min(rows.size(), limits::recap_children_max);
    out.children_omitted = static_cast<std::int64_t>(rows.size() - shown);
    rows.resize(shown);
    for (NodeRow& row : rows) {
      out.children.push_back(TRY(child_of(loading, std::move(row), way.first)));
    }
  }
  if (!out.recap.empty()) out.recap += '\n';
  room -= out.recap.size();
  // How many there are before this point is the word of its row, which its parent's must bear out.
  if (node.parent) TRY(load_parent(loading, node));
  const std::string before =
      TRY(recap_of(loading, node, node.depth, "Done before this node (newest first)", room));
  out.recap += before;
  if (out.recap.ends_with("\n\n")) out.recap.pop_back();
  return out;
}

}  // namespace baton::engine
