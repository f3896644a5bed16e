#include "adapters/script/result.h"

#include <algorithm>
#include <cmath>

#include "adapters/script/compile.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using state::ScriptFault;
using state::ScriptProblem;
using state::ScriptResult;

constexpr std::size_t exact_digits = 15;  // every integer of so many has an equal double
constexpr double int64_end = 9223372036854775808.0;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Calls `found` with each integer of the text that is long enough to be inexact, until it says
/// true.
template <class Found>
bool any_long_integer(std::string_view json, const Found& found) {
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '"') {
      for (++at; at < json.size() && json[at] != '"'; ++at) {
        if (json[at] == '\\') ++at;
      }
    } else if (is_digit(json[at])) {
      const std::size_t begin = at > 0 && json[at - 1] == '-' ? at - 1 : at;
      while (at < json.size() && is_digit(json[at])) ++at;
      const bool is_integer = at == json.size() || (json[at] != '.' && (json[at] | 0x20) != 'e');
      if (is_integer && at - begin > exact_digits && found(json.substr(begin, at - begin))) {
        return true;
      }
      while (at < json.size() && std::string_view(".eE+-0123456789").contains(json[at])) ++at;
      --at;
    }
  }
  return false;
}

/// JavaScript prints an integer beyond 2^53 with fewer digits than it has: what is meant is the
/// number, not its text.
void mend_integers(json::Value& value) {
  if (const std::int64_t* integer = value.if_int()) {
    const auto number = static_cast<double>(*integer);
    if (std::abs(number) < int64_end) {
      value = static_cast<std::int64_t>(number);
    } else {
      value = number;
    }
  } else if (json::Array* array = value.if_array()) {
    for (json::Value& each : *array) mend_integers(each);
  } else if (json::Object* object = value.if_object()) {
    for (json::Member& each : *object) mend_integers(each.value);
  }
}

ScriptResult value_of(std::string_view text) {
  if (text.size() > limits::script_result_bytes_max) {
    return std::unexpected(ScriptProblem{ScriptFault::size,
                                         cat("the result has ", text.size(), " bytes; ",
                                             limits::script_result_bytes_max, " are allowed"),
                                         {},
                                         0,
                                         0});
  }
  auto value = json::parse(text, {limits::script_result_bytes_max, limits::json_depth_max});
  if (!value) {
    return std::unexpected(ScriptProblem{
        ScriptFault::not_json, cat("the result is not JSON: ", value.error().message), {}, 0, 0});
  }
  if (any_long_integer(text, [](std::string_view) { return true; })) mend_integers(*value);
  return std::move(*value);
}

/// The name that is missing, with the nearest of those that are there.
std::string hint_of(std::string_view name, std::string_view text, const state::Script& script) {
  constexpr std::string_view ending = " is not defined";
  if (name != "ReferenceError" || !text.ends_with(ending)) return {};
  text.remove_suffix(ending.size());
  const std::vector<std::string_view> known(script.names.begin(), script.names.end());
  const auto near = nearest(text, known);
  return near ? cat("did you mean '", *near, "'?") : std::string();
}

ScriptFault fault_of(std::string_view name, std::string_view text) {
  if (name == "InternalError" && text == "out of memory") return ScriptFault::memory;
  if (name == "RangeError" && text == "Maximum call stack size exceeded") return ScriptFault::stack;
  return ScriptFault::thrown;
}

/// What run() wrote of an exception: ["Name", "message", "stack"].
ScriptProblem thrown(std::string_view text, const state::Script& script) {
  const auto parsed = json::parse(text);
  const json::Array* parts = parsed ? parsed->if_array() : nullptr;
  if (parts == nullptr || parts->size() != 3) {
    return {ScriptFault::thrown, "the script failed without a message", {}, 0, 0};
  }
  const auto part = [&](std::size_t at) -> std::string_view {
    const std::string* found = (*parts)[at].if_string();
    return found == nullptr ? std::string_view() : std::string_view(*found);
  };
  ScriptProblem problem{fault_of(part(0), part(1)),
                        message_of(part(0).empty() ? part(1) : cat(part(0), ": ", part(1))),
                        hint_of(part(0), part(1), script), 0, 0};
  locate(problem, part(2), script.source);
  return problem;
}

}  // namespace

std::optional<std::string_view> first_inexact(std::string_view json) {
  std::optional<std::string_view> out;
  any_long_integer(json, [&](std::string_view digits) {
    const auto integer = parse_int(digits);
    if (!integer) return false;  // a double for Baton too
    const auto number = static_cast<double>(*integer);
    if (number < int64_end && static_cast<std::int64_t>(number) == *integer) return false;
    out = digits;
    return true;
  });
  return out;
}

ScriptResult result_of(const SandboxAnswer& answer, const state::Script& script) {
  if (answer.outcome != WASM_DONE) return std::unexpected(problem_of(answer.outcome));
  if (answer.threw) {
    // Not even its own failing could be written down.
    if (fault_of("InternalError", answer.text) == ScriptFault::memory) {
      return std::unexpected(problem_of(WASM_REFUSED));
    }
    return std::unexpected(ScriptProblem{ScriptFault::thrown, message_of(answer.text), {}, 0, 0});
  }
  ASSERT(!answer.text.empty());
  const std::string_view rest = answer.text.substr(1);
  switch (answer.text[0]) {
    case 'v': return value_of(rest);
    case 'u':
      return std::unexpected(ScriptProblem{
          ScriptFault::undefined, "there is no result; a body needs a return", {}, 0, 0});
    case 'n':
      return std::unexpected(ScriptProblem{ScriptFault::not_json, message_of(rest), {}, 0, 0});
    default: return std::unexpected(thrown(rest, script));
  }
}

}  // namespace baton::adapters
