#pragma once
// One of two branches, by a condition.

#include <span>
#include <string_view>

#include "base/core/boxed.h"
#include "base/json/json.h"

namespace baton::workflow {

struct StepType;

struct Conditional {
  Boxed<json::Value> condition;
  bool operator==(const Conditional&) const = default;

  static constexpr std::string_view blocks[] = {"then", "else"};
  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) { io("condition", self.condition); }
};

}  // namespace baton::workflow
