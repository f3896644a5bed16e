#include "protocol/features/tool.h"

#include <algorithm>

#include "base/text/text.h"
#include "protocol/names.h"

namespace baton::protocol {
namespace {

bool is_object_schema(const json::Value& schema) {
  const json::Value* const type = schema.find("type");
  return type != nullptr && *type == json::Value("object");
}

Result<void> check(const Tool& tool) {
  if (!is_offered_name(tool.name)) {
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

bool is_header_name(std::string_view name) {
  static constexpr std::string_view others = "!#$%&'*+-.^_`|~";  // of a token by RFC 9110
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.contains(c);
  });
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Collects x-mcp-header below `schema`. Goes no deeper than the schema, which was compiled.
Result<void> find_headers(const Tool& tool, const json::Value& schema,
                          std::vector<std::string>& path, std::vector<HeaderParameter>& found) {
  const json::Value* const listed = schema.find("properties");
  if (listed == nullptr || !listed->is_object()) return {};
  for (const auto& [key, property] : *listed->if_object()) {
    path.push_back(key);
    if (const json::Value* const header = property.find("x-mcp-header")) {
      const std::string* const name = header->if_string();
      const json::Value* const type = property.find("type");
      const bool fit =
          type != nullptr && (*type == json::Value("string") || *type == json::Value("integer") ||
                              *type == json::Value("boolean"));
      const bool taken = name != nullptr && std::ranges::any_of(found, [&](const auto& other) {
                           return equal_in_any_case(other.name, *name);
                         });
      if (name == nullptr || !is_header_name(*name) || !fit || taken) {
        return fail(Code::INTERNAL,
                    cat("the x-mcp-header of '", key, "' of tool ", tool.name, " is unusable"));
      }
      found.push_back({*name, path});
    }
    TRY(find_headers(tool, property, path, found));
    path.pop_back();
  }
  return {};
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
  if (!error.next.empty()) {
    const std::string hint = error.next.text();
    result.structured.append_new("hint", hint);
    result.text += cat("\nHint: ", hint);
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
    std::vector<std::string> path;
    std::vector<HeaderParameter> headers;
    TRY(find_headers(tool, tool.input_schema, path, headers));
    table.tools_.push_back(
        {std::move(tool), std::move(input), std::move(output), std::move(headers)});
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
