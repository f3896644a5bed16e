#include "engine/recovery.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "engine/load/newest_leaf.h"
#include "run/show/references.h"
#include "run/show/told_entry.h"

namespace baton::engine {
namespace {

using run::NodeNo;
using run::NodeRow;

Result<run::RecapEntry> entry_of(const LoadContext& loading, const NodeRow& node) {
  return run::told_entry(TRY(load_events(loading, node.no.commit())), node.id);
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
  if (const auto row = TRY(loading.store.run(node.run))) out.goal = row->goal;
  out.guidance = run::guidance_text(workflow, prompt);
  out.functions = run::functions_text(workflow, prompt);
  out.references = run::references_text(workflow, prompt);
  auto rows = TRY(loading.store.children(node.no, limits::recap_walk_nodes_max));
  std::size_t room = limits::recap_bytes_max;
  if (!rows.empty()) {
    const auto [tip, way] = TRY(newest_leaf(loading, node));
    // The way there and the way on share the budget; what the way on leaves is the other's.
    out.recap = TRY(recap_of(loading, tip, way.length,
                             "Already done after this node, on the latest branch (newest first)",
                             node.depth == 0 ? room : room / 2));
    out.tip = tip;
    out.is_passed = tip.open_steps != node.open_steps;
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
