#pragma once
// Nothing to do yet: the agent asks again later. Step::timeout_ms says when.

#include <span>
#include <string>

#include "base/core/boxed.h"

namespace baton::workflow {

struct StepType;

struct WaitStep {
  Boxed<std::string> message;
  bool operator==(const WaitStep&) const = default;

  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) { io("message", self.message); }
};

}  // namespace baton::workflow
