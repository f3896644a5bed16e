#pragma once
// What a caller is told of a node it comes (back) to: the pending step, what is offered there, and
// what is around it. It is handed a Reading, so it cannot append anything.

#include "engine/place.h"

namespace baton::engine {

/// What is told beside the pending step: what was done before and since, and whether the workflow's
/// file has changed.
enum class RecoveryDetail : std::uint8_t { told, left_out };

/// REQUIRES: the caller has a right to the node.
Result<NodeAnswer> look_at(const ReadContext& reading, const run::NodeRow& node,
                           RecoveryDetail around = RecoveryDetail::left_out);

}  // namespace baton::engine
