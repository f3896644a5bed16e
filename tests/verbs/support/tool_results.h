#pragma once
// What tests read out of a tool's result.

#include <string>

#include "protocol/features/tool.h"

namespace baton::testing {

/// A text of the structured result; empty when it is not text.
inline std::string at(const protocol::ToolResult& result, std::string_view key) {
  const json::Value* value = result.structured.find(key);
  return value != nullptr && value->is_string() ? *value->if_string() : std::string();
}

/// The code of an error, or "ok".
inline std::string code(const protocol::ToolResult& result) {
  return result.is_error ? at(result, "code") : "ok";
}

}  // namespace baton::testing
