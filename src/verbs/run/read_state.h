#pragma once
// The state of a run at one of its nodes, as agents and people read it. Reads only.

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace baton::verbs {

struct StateQuery {
  std::optional<NodeId> node = {};      // none: the run's tip
  std::string frame = {};               // the key of an include's frame; empty: the root's
  std::vector<std::string> paths = {};  // `raw.a.b`, or bare as `a.b`; none: all of it
};

struct StateView {
  NodeId node;
  std::vector<std::string> open_steps;
  std::vector<std::string> frames;  // the keys there are; the root's is empty
  /// Every field by its bare name, computed over raw over state over inputs; or, where paths were
  /// asked for, each of them with its value. The context, for a workflow without state.
  json::Object values;
  std::vector<std::string> undefined;  // paths that are known and have no value
  std::size_t raw_bytes = 0;
  std::size_t computed_bytes = 0;
};

/// NOT_FOUND for a node or frame that the run does not have, STATE_BAD_PATH and STATE_UNKNOWN_NAME,
/// with the nearest name, for a path.
Result<StateView> read_state(const engine::LoadContext& loading, const run::RunRow& run,
                             const StateQuery& query = {});

}  // namespace baton::verbs
