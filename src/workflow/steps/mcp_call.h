#pragma once
// A call of another MCP tool, by the agent.

#include <span>
#include <string>

#include "base/json/json.h"

namespace baton::workflow {

struct StepType;

struct McpCall {
  std::string tool;
  json::Value parameters = json::Object();
  bool operator==(const McpCall&) const = default;

  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) {
    io("tool", self.tool);
    io("parameters", self.parameters);
  }
};

}  // namespace baton::workflow
