#pragma once
// What the planner says to agents, in the words of its tools.

#include <span>
#include <string>
#include <string_view>

#include "plan/parse.h"
#include "surface/words.h"

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

/// The same as a sentence; of a text that cannot be read to its end: fix it first.
std::string guidance(const plan::Parsed& parsed);

}  // namespace baton::surface::planner
