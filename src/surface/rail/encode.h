#pragma once
// Replies as the rail shows them: fields for programs, and text that says the same to a reader.

#include "protocol/features/tool.h"
#include "surface/tokens.h"

namespace baton::surface::rail {

/// Whether an answer says how an agent behaves in the mode of the run. It does when the agent
/// begins, returns or changes the mode, and not at every step.
enum class ModeWords : std::uint8_t { left_out, told };

/// The answer to start_workflow and continue_workflow.
protocol::ToolResult encode(const Result<SignedReply>& reply, ModeWords mode = ModeWords::left_out);

/// The answer to checkpoint_workflow.
protocol::ToolResult encode_checkpoint(const Result<SignedReply>& reply);

/// Schema of what encode() gives.
json::Value reply_schema();
/// The same for the first answer, in brief: its fields are among these.
json::Value start_schema();
json::Value checkpoint_schema();

}  // namespace baton::surface::rail
