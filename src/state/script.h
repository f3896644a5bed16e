#pragma once
// Scripts as values: a piece of JavaScript of a workflow, what it is evaluated with, and what can
// go wrong. The Decider asks for evaluations in these terms; a ScriptHost makes them. Pure.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"
#include "base/json/json.h"

namespace baton::state {

enum class ScriptForm : std::uint8_t {
  expression,
  transform,  // an expression, or statements with a return
  truth,      // an expression, of which only its truth is asked
};

struct Script {
  std::string source;
  ScriptForm form = ScriptForm::expression;
  std::vector<std::string> names;  // in scope besides what JavaScript has; each is_script_name()
  bool operator==(const Script&) const = default;
};

/// What a script sees of time and chance; recorded, so that a replay draws nothing.
struct ScriptSeed {
  WallMs now;
  std::uint64_t seed = 0;
  bool operator==(const ScriptSeed&) const = default;
};

/// The draw for one of several evaluations that share it, so that no two see the same chance.
ScriptSeed derived(const ScriptSeed& draw, std::string_view place);

struct Evaluation {
  Script script;
  /// A JSON object with what the names mean; a name without a member is undefined. The member
  /// "this", if any, is what `this` means.
  std::string scope = "{}";
  ScriptSeed draw;
};

enum class ScriptFault : std::uint8_t {
  syntax,     // it is not JavaScript
  thrown,     // it threw, or read what is not there
  not_json,   // its result is not JSON
  undefined,  // it has no result
  inexact,    // its scope holds an integer that no JavaScript number equals
  time,       // a limit of the sandbox
  memory,
  stack,
  size,
  unavailable,  // this machine has no sandbox to give
  busy,         // as many batches of the run as may wait are waiting
};

struct ScriptProblem {
  ScriptFault fault = ScriptFault::thrown;
  std::string message;   // one sentence, without the place
  std::string hint;      // empty for none
  std::size_t line = 0;  // of the source, from 1, with the column; 0 when not known
  std::size_t column = 0;
  bool operator==(const ScriptProblem&) const = default;
};

using ScriptResult = std::expected<json::Value, ScriptProblem>;

/// Whether a name can be in a script's scope: an identifier that is not a reserved word. Characters
/// beyond ASCII are left to the engine's judgement.
bool is_script_name(std::string_view name);

/// The problem as an error, with the script and the place in it.
Error error_of(const ScriptProblem& problem, std::string_view source);

}  // namespace baton::state
