#pragma once
// A message that the agent shows to the user.

#include <span>
#include <string>

#include "base/core/boxed.h"
#include "base/json/json.h"

namespace baton::workflow {

struct StepType;

struct UserMessage {
  std::string message;
  Boxed<std::string> message_type;
  std::string format = "text";
  bool operator==(const UserMessage&) const = default;

  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) {
    io("message", self.message);
    io("message_type", self.message_type);
    io("format", self.format);
  }
};

}  // namespace baton::workflow
