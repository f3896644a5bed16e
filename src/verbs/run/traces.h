#pragma once
// How the computed fields of a run got their values, from its events. Reads only.

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace baton::verbs {

struct TraceQuery {
  std::optional<NodeId> node = {};                   // what led to this one; none: to the run's tip
  std::optional<std::string> field = {};             // none: every field
  std::size_t nodes_max = limits::traced_nodes_max;  // looked at, the newest
};

/// One evaluation of a computed field.
struct TransformTrace {
  std::string field;
  std::string frame;  // the key of an include's frame; empty: the root's
  std::optional<json::Value> input;
  std::optional<json::Value> output;  // none: undefined
  std::string outcome;                // computed, fallback or ignored
  std::string problem;                // why it failed; may be empty
  std::string trigger;                // the path that changed, or "start"
  std::string cause;                  // the step that changed it, or "start"
  std::int64_t elapsed_us = 0;
  WallMs at;
  NodeId node;
};

struct Traced {
  std::vector<TransformTrace> traces;
  bool is_whole = true;  // false: older nodes were not looked at
};

/// In the order in which they happened, along the path of the node and nothing else.
Result<Traced> traces(const engine::LoadContext& loading, const run::RunRow& run,
                      const TraceQuery& query = {});

}  // namespace baton::verbs
