#pragma once
// Carries a run on over steps whose commands the server runs: starts each, waits for its end and
// records what came of it, until a step is somebody else's or the caller has waited long enough.

#include "verbs/find_open_step.h"
#include "verbs/patience.h"

namespace baton::verbs {

/// The answer to a caller that got `reply`: of the first step that is not the server's, or of the
/// one whose command still runs, here or elsewhere. A command that nobody can say the end of makes
/// its step the agent's. Whatever was told on the way and is not in the last answer is added to it.
Result<SignedReply> carry_on(Engine& engine, const Principal& principal, SignedReply reply,
                             const Patience& patience);

/// The same for somebody who comes back to a node.
Result<SignedReply> carry_on_at(Engine& engine, const Principal& principal, const NodeId& node,
                                const Patience& patience);

/// The latest point of a run, once it has been carried on.
Result<RunPoint> carry_on_run(Engine& engine, const Principal& principal, std::string_view run,
                              const Patience& patience);

}  // namespace baton::verbs
