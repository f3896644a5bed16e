#pragma once
// The receipts of a run, read from its log. Reads only.
//
// A run that has not forked is told by its entry: it has as many nodes as the way to its newest
// one. For one that has, its whole log is read once per process, and later what came since. It is
// read for nothing but a step with an effect that the run has reached, a fork's reply, an undo and
// a list.

#include <set>

#include "engine/engine.h"

namespace baton::engine {

using HeldEffects = Guarded<SessionEffects>::Held;

/// All receipts of a session. Held by this thread until the end of what is returned.
Result<HeldEffects> read_effects(const LoadContext& loading, const SessionId& session);

/// The receipts of a step on other branches than that of `node`, which may hold, the newest first.
/// In the run of a sub-agent also those of the sub-agents that had the same task on other branches
/// of the run that it belongs to.
Result<std::vector<run::EffectReceipt>> effects_elsewhere(const LoadContext& loading,
                                                          const run::NodeRow& node,
                                                          std::string_view step);

/// Those of sub-agents alone, for a run that is about to carry out `task`.
Result<std::vector<run::EffectReceipt>> effects_of_same_task(const LoadContext& loading,
                                                             const run::TaskRef& task,
                                                             std::string_view step);

/// The nodes of the effects of a session that were undone. Costs one look where none was.
Result<std::set<NodeId>> undone_effects(const LoadContext& loading, const SessionId& session);

}  // namespace baton::engine
