#pragma once
// What settled a step before, for a call that names another node of it. Reads only.

#include "engine/load/recorded_attempt.h"
#include "engine/place.h"
#include "run/graph/placement.h"

namespace baton::engine {

/// Whether the attempt passed a gate of the step with this output, whatever words came with either.
bool has_passed(const RecordedAttempt& made, std::string_view step, const run::StepInput& input);

/// The attempt that passed the step of `place` with this output at a gate, by whichever token of
/// the step: at the nodes above `place` where the step was open already, or at those of `below`,
/// the chain under it. Nothing when the step was passed otherwise.
Result<std::optional<RecordedAttempt>> find_passage(const ReadContext& reading, const Place& place,
                                                    std::span<const run::Descendant> below,
                                                    const run::StepInput& input,
                                                    const std::optional<Sha256>& hash);

/// The node under a gate that opened before its step began where the server began it: an attempt
/// at the gate is then one at that node. Nothing while the step has not begun, or is the agent's.
Result<std::optional<run::NodeRow>> servers_node_below(const ReadContext& reading,
                                                       const Place& place,
                                                       std::span<const run::Descendant> below);

}  // namespace baton::engine
