#pragma once
// Scripts without a sandbox: a function answers evaluations, and what pure code asks for is pumped
// through it until nothing is lacking. Only tests include this.

#include <functional>

#include "base/core/result.h"
#include "state/answers.h"
#include "state/known.h"

namespace baton::state::testing {

/// Gets the script's source, and the scope as a value.
using FakeScript = std::function<ScriptResult(std::string_view source, const json::Value& scope)>;

struct Pumped {
  std::size_t rounds = 0;
  std::vector<std::string> sources;  // of all evaluations, in the order they were made
};

/// The result of `ask` once every answer is known.
template <class Ask>
auto pump(const FakeScript& script, const Ask& ask, Pumped* pumped = nullptr) {
  ScriptAnswers answers;
  for (;;) {
    auto outcome = ask(answers);
    if (!answers.is_lacking()) return settled(std::move(outcome));
    std::vector<ScriptAnswer> supplied;
    for (const Evaluation& each : answers.asked()) {
      const json::Value scope = MUST(json::parse(each.scope));  // pure code printed it
      supplied.push_back({script(each.script.source, scope), 1});
      if (pumped != nullptr) pumped->sources.push_back(each.script.source);
    }
    if (pumped != nullptr) ++pumped->rounds;
    answers.supply(std::move(supplied));
  }
}

inline ScriptResult threw(std::string message) {
  return std::unexpected(ScriptProblem{ScriptFault::thrown, std::move(message), {}, 1, 1});
}

}  // namespace baton::state::testing
