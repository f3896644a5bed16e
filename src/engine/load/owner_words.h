#pragma once
// What the owner said about a run: whether it may continue, and guidance for its agent. Reads only.

#include <optional>
#include <vector>

#include "engine/engine.h"
#include "run/graph/state.h"
#include "run/log/owner_events.h"

namespace baton::engine {

/// The latest hold that was recorded for a session; one without a number when none was.
Result<run::RunHeld> latest_hold(const LoadContext& loading, const SessionId& session);

/// The hold that keeps a run from continuing at a node: its own, or that of a run whose task it
/// carries out. Nothing while it may continue.
Result<std::optional<run::RunHeld>> hold_at(const LoadContext& loading,
                                            const run::NodeState& state);

/// Whether such a hold was recorded before a commit, and holds since.
Result<bool> was_held_before(const LoadContext& loading, const run::NodeState& state,
                             run::CommitNo commit);

/// RUN_PAUSED or RUN_CANCELLED, with the reason.
std::unexpected<Error> run_is_held(const run::RunHeld& held);
/// The same as a check.
Result<void> check_not_held(const LoadContext& loading, const run::NodeState& state);

/// How many pieces of guidance a session has.
Result<std::int64_t> guidance_count(const LoadContext& loading, const SessionId& session);

/// The guidance that no reply on the way to a node had, in order, at most
/// limits::guidance_per_reply_max.
Result<std::vector<run::Guidance>> open_guidance(const LoadContext& loading,
                                                 const run::NodeState& state);

}  // namespace baton::engine
