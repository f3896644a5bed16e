#pragma once
// Writes of the server to the state. What is written is in Step::updates, as in other steps.

#include <span>

namespace baton::workflow {

struct StepType;

struct StateUpdate {
  bool operator==(const StateUpdate&) const = default;
  static std::span<const StepType> spellings();
  static void members(auto&, auto&) {}
};

}  // namespace baton::workflow
