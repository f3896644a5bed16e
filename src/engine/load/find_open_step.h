#pragma once
// From a run's id, by which surfaces without tokens name it, to the latest point of the run, and
// to the place of a step on the way there. Reads only.

#include "engine/load/read_node.h"
#include "workflow/compiled.h"

namespace baton::engine {

/// The latest point of a run, as its owner sees it.
struct RunPoint {
  run::RunRow run;
  run::NodeRow node;
  std::shared_ptr<const run::NodeState> state;
  std::shared_ptr<const workflow::Pinned> workflow;
  NodeAnswer answer;  // what a caller that returns to the node is told

  /// The step that is open; nullptr when none is.
  const workflow::Step* step() const;
};

/// A run by its id or its session's, if `principal` has started it. NOT_FOUND when there is none,
/// also for another caller's.
Result<run::RunRow> find_own_run(const ReadContext& reading, const Principal& principal,
                                 std::string_view id);

/// TOKEN_REVOKED when the tokens of the run were revoked.
Result<RunPoint> find_open_step(const ReadContext& reading, const Principal& principal,
                                std::string_view run,
                                RecoveryDetail around = RecoveryDetail::left_out);

/// Where the step `key` is settled: at the point when it is open there; else where it was settled
/// on the way to the point, so that an attempt gets the recorded answer. NOT_FOUND otherwise.
Result<Place> place_of_step(const ReadContext& reading, const RunPoint& point,
                            std::string_view key);

}  // namespace baton::engine
