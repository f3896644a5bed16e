#pragma once
// What the planner says to agents, in the words of its tools.

#include <span>
#include <string>
#include <string_view>

#include "plan/parse.h"
#include "surface/words.h"
#include "verbs/plan/plan.h"

namespace baton::surface::planner {

/// A next move.
std::string say(const NextMove& next);

/// How an agent begins, for the answer to `initialize`.
std::string_view instructions();

struct StageGuide {
  int stage;
  std::string_view name;
  std::string_view guidance;                // what to do now
  std::span<const std::string_view> tools;  // what fits now, the likeliest first
};

/// What to do with a plan at its stage. With every task done, stage 5 says to finish.
const StageGuide& guide_to(const plan::Plan& document);

/// The same as a sentence; of a text that is not a plan: how it becomes one.
std::string guidance(const verbs::PlanView& view);

/// empty, unknown, parsed or halted: `unknown` is also a text that begins with a word and a colon
/// that is no kind of change.
std::string_view state_of(const verbs::PlanView& view);

/// Where and why the text leaves the grammar; empty when it does not.
std::string problem_of(const verbs::PlanView& view);

}  // namespace baton::surface::planner
