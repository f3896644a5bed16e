#pragma once
// The stage of a plan, 0 to 6, by which fields are there, and what to do at it.
// Values only; any thread.

#include <span>
#include <string>
#include <string_view>

#include "plan/parse.h"

namespace baton::plan {

/// 0 nothing; 1 a header; 2 a description under a header without a title; 3 a description;
/// 4 constraints; 5 tasks, or a directive; 6 the directive COMPLETE.
int stage_of(const Document& document);

struct StageGuide {
  int stage;
  std::string_view name;
  std::string_view guidance;                // what to do now, for an agent
  std::span<const std::string_view> tools;  // what fits now, the likeliest first
};

/// What to do with a plan that stands like this. With every task done, stage 5 says to finish.
const StageGuide& guide_to(const Document& document);

/// The same in words for an agent; for a text that cannot be read to its end it is to mend it.
std::string guidance(const Parsed& parsed);

}  // namespace baton::plan
