#pragma once
// From the source of a script to the bytecode of a function of its scope. One script thread.

#include <string>

#include "adapters/script/sandbox.h"
#include "state/script.h"

namespace baton::adapters {

/// Bytecode never comes from anywhere else: the engine believes it.
using Compiled = std::expected<std::string, state::ScriptProblem>;

/// REQUIRES: the sandbox is one to compile, as the photograph shows it; it must be restored after.
Compiled compile_script(ScriptSandbox& sandbox, const state::Script& script);

/// The problem for an ending that the script did not cause itself. REQUIRES: not WASM_DONE.
state::ScriptProblem problem_of(wasm_outcome outcome);

/// Puts the place that a stack of the engine names into the problem; `source` tells whether it lies
/// in the script.
void locate(state::ScriptProblem& problem, std::string_view stack, std::string_view source);

/// What an engine says, as one line of UTF-8 that fits into a message.
std::string message_of(std::string_view text);

/// Takes the deadline away when it goes.
class ScriptDeadline {
 public:
  explicit ScriptDeadline(std::int64_t ms) { wasm_deadline(ms * 1'000'000); }
  ~ScriptDeadline() { wasm_deadline(0); }
  ScriptDeadline(const ScriptDeadline&) = delete;
  ScriptDeadline& operator=(const ScriptDeadline&) = delete;
};

}  // namespace baton::adapters
