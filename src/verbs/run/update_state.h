#pragma once
// Changes the state of a run from outside of its steps. The run's tip gets a node below it that
// stays where it is, as after a checkpoint: tokens issued before stay valid.

#include "verbs/run/read_state.h"

namespace baton::verbs {

/// One change: a path, what to do there (set when empty) and with what.
struct RequestedUpdate {
  std::string path;
  std::string operation;  // set, append, increment, decrement, merge, multiply
  json::Value value;
};

struct StateChange {
  std::optional<NodeId> node = {};  // none: the tip; else it must be the tip still
  std::vector<RequestedUpdate> updates;
  std::string frame = {};  // that is read afterwards: a task's own; empty: the root's
};

/// All of them or none. The state at the new node. INVALID_INPUT for a run that is complete or has
/// no state, the errors of the state room for a change that cannot be made.
Result<StateView> update_state(engine::Engine& engine, const engine::Principal& principal,
                               const run::RunRow& run, const StateChange& change);

}  // namespace baton::verbs
