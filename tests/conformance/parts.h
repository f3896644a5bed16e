#pragma once
// What the fixtures share. Private to this folder.

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/features/tool.h"

namespace baton::conformance {

// The smallest files of their kinds, as base64: a red pixel, and silence.
inline constexpr const char* red_pixel_png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
inline constexpr const char* silence_wav =
    "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==";

/// A tool that takes nothing.
protocol::Tool tool(std::string name, std::string description, protocol::ToolHandler handler);

/// The same with properties, given as the text of an input schema.
protocol::Tool tool_with(std::string name, std::string description, std::string_view schema,
                         protocol::ToolHandler handler);

protocol::ToolResult text_result(std::string text);

/// The text of an argument, or nothing.
std::string argument(const protocol::Call& call, std::string_view name);

/// A form with one field.
protocol::InputRequest ask_for(std::string message, std::string field, std::string_view type);

/// Waits, but no longer than the call is wanted.
void wait(const protocol::Call& call, std::int64_t ms);

}  // namespace baton::conformance
