#include "protocol/tool.h"

#include <algorithm>

#include "base/text.h"

namespace baton::protocol {
namespace {

bool is_name(std::string_view name) {
  if (name.empty() || name.size() > limits::tool_name_bytes_max) return false;
  if (name[0] < 'a' || name[0] > 'z') return false;
  return std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

bool is_object_schema(const json::Value& schema) {
  const json::Value* const type = schema.find("type");
  return type != nullptr && *type == json::Value("object");
}

Result<void> check(const Tool& tool) {
  if (!is_name(tool.name)) {
    return fail(Code::INTERNAL,
                cat("'", tool.name, "' is not a tool name: [a-z][a-z0-9_]*, at most ",
                    limits::tool_name_bytes_max, " bytes"));
  }
  if (tool.description.size() > limits::tool_description_bytes_max) {
    return fail(Code::INTERNAL,
                cat("the description of tool ", tool.name, " has ", tool.description.size(),
                    " bytes, more than ", limits::tool_description_bytes_max));
  }
  if (!tool.handler) return fail(Code::INTERNAL, cat("tool ", tool.name, " has no handler"));
  if (!is_object_schema(tool.input_schema)) {
    return fail(Code::INTERNAL,
                cat("the input schema of tool ", tool.name, " is not of type object"));
  }
  if (!tool.output_schema.is_null() && !is_object_schema(tool.output_schema)) {
    return fail(Code::INTERNAL,
                cat("the output schema of tool ", tool.name, " is not of type object"));
  }
  return {};
}

Result<schema::Schema> compile(const Tool& tool, const json::Value& schema) {
  auto compiled = schema::Schema::compile(schema, {});
  if (compiled) return compiled;
  return fail(Code::INTERNAL,
              cat("a schema of tool ", tool.name, " is unusable: ", compiled.error().message));
}

}  // namespace

ToolResult tool_error(const Error& error) {
  json::Object retry{{"kind", name_of(error.retry.kind)}};
  if (error.retry.after_ms) retry.append_new("retryAfterMs", *error.retry.after_ms);
  ToolResult result;
  result.is_error = true;
  result.structured = {{"code", name_of(error.code)}, {"message", error.message}};
  result.structured.append_new("retry", std::move(retry));
  result.text = cat(name_of(error.code), ": ", error.message);
  if (!error.hint.empty()) {
    result.structured.append_new("hint", error.hint);
    result.text += cat("\nHint: ", error.hint);
  }
  result.text += cat("\nRetry: ", name_of(error.retry.kind));
  if (error.retry.after_ms) result.text += cat(", after ", *error.retry.after_ms, " ms");
  return result;
}

Result<ToolTable> ToolTable::make(std::vector<Tool> tools) {
  ToolTable table;
  for (Tool& tool : tools) {
    TRY(check(tool));
    if (table.find(tool.name) != nullptr) {
      return fail(Code::INTERNAL, cat("two tools are named ", tool.name));
    }
    schema::Schema input = TRY(compile(tool, tool.input_schema));
    std::optional<schema::Schema> output;
    if (!tool.output_schema.is_null()) output = TRY(compile(tool, tool.output_schema));
    table.tools_.push_back({std::move(tool), std::move(input), std::move(output)});
  }
  return table;
}

const CheckedTool* ToolTable::find(std::string_view name) const {
  const auto spelled = [name](const CheckedTool& entry) {
    return std::ranges::equal(entry.tool.name, name, [](char ours, char theirs) {
      return ours == theirs || (ours == '_' && theirs == '.');
    });
  };
  const auto found = std::ranges::find_if(tools_, spelled);
  return found == tools_.end() ? nullptr : &*found;
}

}  // namespace baton::protocol
