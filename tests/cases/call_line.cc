#include "call_line.h"

#include <array>
#include <optional>

#include "base/text/text.h"

namespace baton::cases {
namespace {

constexpr std::string_view call_word = "call ";
constexpr std::string_view request_word = "request ";

/// A short name of an argument, and the path that it stands for.
struct Alias {
  std::string_view name;
  std::string_view path;
};

constexpr std::array aliases = {
    Alias{"ack", "ackToken"},
    Alias{"state", "stateToken"},
    Alias{"checkpoint", "checkpointToken"},
    Alias{"notes", "output.notesMarkdown"},
    Alias{"artifacts", "output.artifacts"},
    Alias{"autonomy", "preferences.autonomy"},
    Alias{"risk", "preferences.riskPolicy"},
    Alias{"run", "workflow_id"},
    Alias{"step", "step_id"},
    Alias{"task", "sub_agent_context.task_id"},
};

std::string_view path_of(std::string_view tool, std::string_view name) {
  const bool is_rail = tool == "start_workflow" || tool == "inspect_workflow";
  if (name == "workflow" && is_rail) return "workflowId";
  for (const Alias& alias : aliases) {
    if (alias.name == name) return alias.path;
  }
  return name;
}

/// Sets the member at a path with dots; objects on the way are made.
void set_at(json::Object& object, std::string_view path, json::Value value) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) {
    object.set(path, std::move(value));
    return;
  }
  const std::string_view first = path.substr(0, dot);
  json::Value* inner = object.find(first);
  if (inner == nullptr || !inner->is_object()) inner = &object.set(first, json::Object());
  set_at(*inner->if_object(), path.substr(dot + 1), std::move(value));
}

/// How many characters the JSON text at the beginning of `text` has: to its closing quote or
/// bracket.
std::optional<std::size_t> json_extent(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '{' || c == '[')) ++depth;
    if (!quoted && (c == '}' || c == ']')) --depth;
    if (!quoted && depth == 0) return i + 1;
  }
  return std::nullopt;
}

/// Takes the value at the beginning of `rest`: JSON, or a bare word up to the next space.
Result<json::Value> take_value(std::string_view& rest) {
  const bool is_json = !rest.empty() && std::string_view("\"{[").contains(rest.front());
  const std::size_t length =
      is_json ? json_extent(rest).value_or(0) : std::min(rest.find(' '), rest.size());
  const std::string_view text = rest.substr(0, length);
  if (is_json && length == 0) {
    return fail(Code::INVALID_INPUT, cat("a quote or bracket is not closed: ", rest));
  }
  rest.remove_prefix(length);
  Result<json::Value> value = json::parse(text);
  if (value) return value;
  if (is_json) return fail(Code::INVALID_INPUT, cat(value.error().message, ": ", text));
  return json::Value(text);
}

/// Reads `name=value` pairs into `arguments`.
Result<void> take_arguments(std::string_view rest, std::string_view tool, json::Object& arguments) {
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.empty()) return {};
    const std::size_t equals = std::min(rest.find('='), rest.size());
    const std::string_view name = rest.substr(0, equals);
    if (equals == rest.size() || name.contains(' ')) {
      return fail(Code::INVALID_INPUT, cat("an argument reads name=value: ", rest));
    }
    rest.remove_prefix(equals + 1);
    json::Value value = TRY(take_value(rest));
    if (name != "args") {
      set_at(arguments, path_of(tool, name), std::move(value));
      continue;
    }
    if (!value.is_object()) return fail(Code::INVALID_INPUT, "args= takes a JSON object");
    for (json::Member& member : *value.if_object()) {
      arguments.set(member.key, std::move(member.value));
    }
  }
}

}  // namespace

std::string CallLine::message(std::size_t id) const {
  return json::print(json::Object{{"jsonrpc", "2.0"},
                                  {"id", static_cast<std::int64_t>(id)},
                                  {"method", method},
                                  {"params", params}});
}

bool is_call_line(std::string_view line) {
  return line.starts_with(call_word) || line.starts_with(request_word);
}

Result<CallLine> parse_call(std::string_view line) {
  const bool is_call = line.starts_with(call_word);
  line.remove_prefix(is_call ? call_word.size() : request_word.size());
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view name = line.substr(0, space);
  json::Object arguments;
  TRY(take_arguments(line.substr(space), is_call ? name : "", arguments));
  if (!is_call) return CallLine{std::string(name), std::move(arguments)};
  return CallLine{"tools/call", {{"name", name}, {"arguments", std::move(arguments)}}};
}

}  // namespace baton::cases
