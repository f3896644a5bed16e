#pragma once
// Tool calls that become tasks: answered at once, carried on afterwards. Private to the protocol
// room.

#include <optional>

#include "protocol/conversation.h"
#include "protocol/methods/methods.h"

namespace baton::protocol {

bool knows_tasks(const RequestContext& context);

/// Whether this call of `tool` is answered with a task.
bool becomes_task(const Responder& responder, const Tool& tool);

/// Whether a call that has a result still continues as a task.
bool goes_on_as_task(const Responder& responder, const Tool& tool, const ToolResult& result);

/// The refusal of a tool that cannot do without tasks, or nothing.
std::optional<RpcError> lacks_tasks(const Responder& responder, const Tool& tool);

/// Stores the task, answers with it, and continues the call after the answer was sent.
WorkResult start_task(const Responder& responder, const Tool& tool, Conversation& conversation);

/// Runs the handler until the task ends or waits for answers.
void continue_task(const std::shared_ptr<const Server::Parts>& parts, McpTask task,
                   const CallHost& host);

/// A tool's result as tools/call gives it.
json::Object shape(const CheckedTool& entry, ToolResult result, Version version);

}  // namespace baton::protocol
