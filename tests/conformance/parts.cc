#include "conformance/parts.h"

#include <algorithm>
#include <chrono>

#include "base/core/thread_safety.h"
#include "base/text/text.h"

namespace baton::conformance {

using protocol::Call;
using protocol::Tool;

Tool tool_with(std::string name, std::string description, std::string_view schema,
               protocol::ToolHandler handler) {
  return {.name = name,
          .title = name,
          .description = std::move(description),
          .input_schema = MUST(json::parse(schema)),  // a literal of this folder
          .annotations = {.read_only = true, .idempotent = true},
          .handler = std::move(handler)};
}

Tool tool(std::string name, std::string description, protocol::ToolHandler handler) {
  return tool_with(std::move(name), std::move(description),
                   R"({"type":"object","properties":{},"additionalProperties":false})",
                   std::move(handler));
}

protocol::ToolResult text_result(std::string text) { return {.text = std::move(text)}; }

std::string argument(const Call& call, std::string_view name) {
  const json::Value* const given = call.arguments.find(name);
  return given != nullptr && given->is_string() ? *given->if_string() : std::string{};
}

protocol::InputRequest ask_for(std::string message, std::string field, std::string_view type) {
  json::Object properties;
  properties.append_new(field, json::Object{{"type", type}});
  return protocol::elicit_form(std::move(message), {{"type", "object"},
                                                    {"properties", std::move(properties)},
                                                    {"required", json::Array{json::Value(field)}}});
}

void wait(const Call& call, std::int64_t ms) {
  constexpr std::int64_t slice_ms = 50;
  Mutex mutex;
  Condition never;
  const MutexLock lock(mutex);
  for (std::int64_t left = ms; left > 0 && !call.cancelled(); left -= slice_ms) {
    never.wait_for(mutex, std::chrono::milliseconds(std::min(left, slice_ms)));
  }
}

}  // namespace baton::conformance
