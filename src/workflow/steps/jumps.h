#pragma once
// Steps that only say where the run continues: behind the innermost loop, at its next round, or
// nowhere.

#include <span>

namespace baton::workflow {

struct StepType;

struct BreakLoop {
  bool operator==(const BreakLoop&) const = default;
  static std::span<const StepType> spellings();
  static void members(auto&, auto&) {}
};

struct ContinueLoop {
  bool operator==(const ContinueLoop&) const = default;
  static std::span<const StepType> spellings();
  static void members(auto&, auto&) {}
};

struct Exit {
  bool operator==(const Exit&) const = default;
  static std::span<const StepType> spellings();
  static void members(auto&, auto&) {}
};

}  // namespace baton::workflow
