#pragma once
// What is around a node, for a caller that returns to it: what was done before, what was
// done after it already, the functions in use and the documents to know. Reads only.

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "run/show/recap.h"

namespace baton::engine {

/// A branch that continues from a node.
struct Child {
  run::NodeRow node;
  std::string label;          // how it came about, and the first line of its notes
  bool is_preferred = false;  // it leads to the preferred tip
};

struct Recovery {
  std::string recap;            // Markdown, at most limits::recap_bytes_max; empty at a fresh start
  std::vector<Child> children;  // newest first, at most limits::recap_children_max
  std::int64_t children_omitted = 0;
  std::optional<run::NodeRow> tip;  // the preferred one below, unless the node is a tip itself
  std::string functions;            // Markdown
  std::string references;           // Markdown
  std::vector<run::PreferenceRaise> raises = {};  // of preferences, on the way to the node
  std::string goal = {};                          // of the run
  std::string guidance = {};                      // for the whole run, Markdown
  // The run has passed the node's step, so that another output for it starts a branch.
  bool is_passed = false;

  bool is_empty() const {
    return recap.empty() && children.empty() && functions.empty() && references.empty() &&
           raises.empty() && goal.empty() && guidance.empty();
  }
};

/// `prompt` is what the reply shows already.
Result<Recovery> recovery_at(const LoadContext& loading, const run::NodeRow& node,
                             const workflow::CompiledWorkflow& workflow, std::string_view prompt);

}  // namespace baton::engine
