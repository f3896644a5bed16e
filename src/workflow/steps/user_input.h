#pragma once
// A question to the user, whose answer the agent sends.

#include <span>
#include <string>

#include "base/core/boxed.h"
#include "base/json/json.h"

namespace baton::workflow {

struct StepType;

struct UserInput {
  std::string message;  // the question
  Boxed<std::string> instructions;
  Boxed<json::Value> choices;   // a list, or an expression that gives one
  Boxed<json::Value> fallback;  // taken without an answer
  Boxed<json::Value> validation;
  std::string input_type = "string";
  std::int64_t max_retries = 3;  // when a file says nothing
  bool operator==(const UserInput&) const = default;

  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) {
    io("message", self.message);
    io("instructions", self.instructions);
    io("choices", self.choices);
    io("default", self.fallback);
    io("validation", self.validation);
    io("input_type", self.input_type);
    io("max_retries", self.max_retries);
  }
};

}  // namespace baton::workflow
