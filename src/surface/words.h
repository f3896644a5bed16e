#pragma once
// How surfaces speak. The engine says what happened, and what can be done next, as facts; each
// surface puts these into the words of its own tools, the terminal into those of its commands.
// Values; any thread.

#include <string>

#include "base/core/result.h"
#include "protocol/features/tool.h"

namespace baton::surface {

/// A next move in the words of one surface.
using Say = std::string (*)(const NextMove& next);

/// The result of a tool, or what was wrong with the next move in words.
protocol::ToolResult answer(Result<protocol::ToolResult> result, Say say);
protocol::ToolResult tool_error(Error error, Say say);

/// What only the store's owner can do, as an agent is told of it; other moves in plain words.
std::string ask_owner(const NextMove& next);

/// The same, as the owner is told at a terminal.
std::string tell_owner(const NextMove& next);

}  // namespace baton::surface
