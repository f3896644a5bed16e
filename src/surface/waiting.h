#pragma once
// Calls that wait for a command that the server runs: as long as a caller is patient, then with an
// answer that says so, or as a task for clients that know these. Values; any thread.

#include <optional>

#include "engine/wait_policy.h"
#include "protocol/features/tool.h"
#include "run/show/reply.h"

namespace baton::surface {

/// Whether the server runs the command of the pending step: then there is nothing to send.
bool is_waiting(const run::Reply& reply);

/// How long a call waits, telling the client that it does. `call` must outlive it.
engine::WaitPolicy wait_policy_of(const protocol::Call& call);

/// Lets a call whose answer is that it waits continue as a task.
protocol::ToolResult to_be_awaited(protocol::ToolResult result, const run::Reply& reply);

/// Where a call that continues as a task waits; nothing for any other call.
std::optional<NodeId> awaited_node(const protocol::Call& call);

}  // namespace baton::surface
