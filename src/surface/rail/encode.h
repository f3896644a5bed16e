#pragma once
// Replies as the rail shows them: fields for programs, and text that says the same to a reader.

#include "protocol/features/tool.h"
#include "surface/tokens.h"

namespace baton::surface::rail {

/// The answer to start_workflow and continue_workflow.
protocol::ToolResult encode(const Result<SignedReply>& reply);

/// The answer to checkpoint_workflow.
protocol::ToolResult encode_checkpoint(const Result<SignedReply>& reply);

/// Schema of what encode() gives.
json::Value reply_schema();
json::Value checkpoint_schema();

}  // namespace baton::surface::rail
