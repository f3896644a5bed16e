#pragma once
// What breakers count on the way to a node (run/decide/brakes.h). Values.

#include <cstdint>
#include <string>

#include "base/core/sha256.h"

namespace baton::run {

/// Attempts at a step in a row that did not pass, since a person let it go on.
struct StepTries {
  std::string step;  // its key
  std::int64_t count = 0;
  bool operator==(const StepTries&) const = default;
  bool empty() const { return count == 0; }

  static constexpr std::string_view name = "tries";
  static void describe(auto& e, auto& v) {
    v("step", e.step);
    v("count", e.count);
  }
};

/// The output of a step in a loop, and how often it came in a row.
struct RepeatedOutput {
  std::string step;  // its id, without the rounds
  Sha256 output;
  std::int64_t times = 1;
  bool operator==(const RepeatedOutput&) const = default;

  static constexpr std::string_view name = "repeated output";
  static void describe(auto& e, auto& v) {
    v("step", e.step);
    v("output", e.output);
    v("times", e.times);
  }
};

}  // namespace baton::run
