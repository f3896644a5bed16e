#include "verbs/recovery.h"

#include <algorithm>
#include <queue>

#include "base/text.h"
#include "run/references.h"
#include "verbs/load.h"

namespace baton::verbs {
namespace {

using run::NodeNo;
using run::NodeRow;

Result<run::RecapEntry> entry_of(const Loading& loading, const NodeRow& node) {
  return run::recap_entry(TRY(load_events(loading.store, node.no.commit())), node.id);
}

/// The recap of the path from `newest` up to, not including, the node at depth `end`.
Result<std::string> recap_of(const Loading& loading, NodeRow newest, std::int64_t end,
                             std::string_view heading, std::size_t bytes_max) {
  const std::int64_t entries = newest.depth - end;
  run::Recap recap(heading, bytes_max);
  while (newest.depth > end && recap.add(TRY(entry_of(loading, newest)))) {
    if (!newest.parent || newest.depth - 1 <= end) break;
    newest = TRY(load_node(loading, *newest.parent));
  }
  return std::move(recap).finish(entries);
}

/// The ancestor of `node` at `depth`; nothing when it is further up than is looked. Jumps from
/// snapshot to snapshot as far as these reach.
Result<std::optional<NodeRow>> ancestor_at(const Loading& loading, NodeRow node,
                                           std::int64_t depth) {
  bool may_jump = true;
  for (std::size_t looked = 0; node.depth > depth && node.parent; ++looked) {
    if (looked == limits::recap_walk_nodes_max) return std::nullopt;
    const bool jumps = may_jump && node.snapshot && node.snapshot != node.no;
    NodeRow above = TRY(load_node(loading, jumps ? *node.snapshot : *node.parent));
    if (jumps && above.depth < depth) {
      may_jump = false;
      continue;
    }
    node = std::move(above);
  }
  return node;
}

/// The newest node below `node`, of those looked at: a node's number grows with its commit's, so
/// the newest of all is a leaf and has the latest activity.
Result<NodeRow> newest_below(const Loading& loading, const NodeRow& node) {
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

/// The leaf below `node` with the latest activity. The run's own tip is it, if it is below.
Result<NodeRow> preferred_below(const Loading& loading, const NodeRow& node) {
  if (const auto run = TRY(loading.store.run(node.run))) {
    NodeRow tip = TRY(load_node(loading, run->tip));
    const auto above = TRY(ancestor_at(loading, tip, node.depth));
    if (above && above->no == node.no) return tip;
  }
  return newest_below(loading, node);
}

Result<Child> child_of(const Loading& loading, NodeRow row, const std::optional<NodeRow>& way) {
  const run::RecapEntry entry = TRY(entry_of(loading, row));
  const std::string line = run::first_line_of(entry.notes);
  Child child;
  child.label = line.empty() ? run::label_of(entry) : cat(run::label_of(entry), ": ", line);
  child.is_preferred = way && way->no == row.no;
  child.node = std::move(row);
  return child;
}

}  // namespace

Result<Recovery> recovery_at(const Loading& loading, const NodeRow& node,
                             const workflow::CompiledWorkflow& workflow, std::string_view prompt) {
  Recovery out;
  out.functions = run::functions_text(workflow, prompt);
  out.references = run::references_text(workflow, prompt);
  auto rows = TRY(loading.store.children(node.no, limits::recap_walk_nodes_max));
  std::size_t room = limits::recap_bytes_max;
  if (!rows.empty()) {
    const NodeRow tip = TRY(preferred_below(loading, node));
    const auto way = TRY(ancestor_at(loading, tip, node.depth + 1));
    // The way there and the way on share the budget; what the way on leaves is the other's.
    out.recap = TRY(recap_of(loading, tip, node.depth,
                             "Done already after this point, on the latest branch (newest first)",
                             node.depth == 0 ? room : room / 2));
    out.tip = tip;
    const std::size_t shown = std::min(rows.size(), limits::recap_children_max);
    out.children_omitted = static_cast<std::int64_t>(rows.size() - shown);
    rows.resize(shown);
    for (NodeRow& row : rows) {
      out.children.push_back(TRY(child_of(loading, std::move(row), way)));
    }
  }
  if (!out.recap.empty()) out.recap += '\n';
  room -= out.recap.size();
  const std::string before =
      TRY(recap_of(loading, node, 0, "Done before this point (newest first)", room));
  out.recap += before;
  if (out.recap.ends_with("\n\n")) out.recap.pop_back();
  return out;
}

}  // namespace baton::verbs
