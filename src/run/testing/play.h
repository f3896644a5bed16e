#pragma once
// The results of scripts, for tests that run none. Only tests include this.

#include <gtest/gtest.h>

#include <functional>

#include "state/answers.h"
#include "state/known.h"

namespace baton::run::testing {

using Play = std::function<state::ScriptResult(const state::Evaluation&)>;

/// A script here is a mistake of the test.
inline state::ScriptResult no_script(const state::Evaluation& evaluation) {
  ADD_FAILURE() << "a script was asked for: " << evaluation.script.source;
  return std::unexpected(state::ScriptProblem{});
}

inline std::vector<state::ScriptAnswer> play_all(const Play& play,
                                                 std::span<const state::Evaluation> evaluations) {
  std::vector<state::ScriptAnswer> answers;
  for (const state::Evaluation& each : evaluations) answers.push_back({play(each), 7});
  return answers;
}

/// The result of `ask` once nothing is lacking.
template <class Ask>
auto ask_until_known(const Play& play, Ask ask) {
  state::ScriptAnswers answers;
  while (true) {
    auto outcome = ask(answers);
    if (!answers.is_lacking()) {
      if constexpr (requires { state::settled(std::move(outcome)); })
        return state::settled(std::move(outcome));
      else
        return outcome;
    }
    answers.supply(play_all(play, answers.asked()));
  }
}

}  // namespace baton::run::testing
