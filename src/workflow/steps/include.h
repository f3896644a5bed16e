#pragma once
// Another workflow, whose steps stand inside and have a frame of state of their own. A call of a
// template or a routine is written like it; the compiler puts its steps in place of the call.

#include <span>
#include <string>
#include <string_view>

#include "base/core/boxed.h"
#include "base/json/json.h"

namespace baton::workflow {

struct StepType;

struct IncludedFrame {
  Boxed<json::Object> inputs;  // as declared
  Boxed<json::Object> state;   // {raw, state, computed, defaults}
  bool operator==(const IncludedFrame&) const = default;

  static void members(auto& io, auto& self) {
    io("inputs", self.inputs);
    io("state", self.state);
  }
};

struct Include {
  std::string workflow;
  json::Value inputs = json::Object();  // evaluated at entry
  Boxed<IncludedFrame> frame = {};
  bool operator==(const Include&) const = default;

  static constexpr std::string_view blocks[] = {"steps"};
  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) {
    io("workflow", self.workflow);
    io("inputs", self.inputs);
    io("frame", self.frame);
  }
};

}  // namespace baton::workflow
