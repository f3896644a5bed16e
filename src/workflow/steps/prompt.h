#pragma once
// A prompt: work for the agent, answered with an output. Its text, its flag for confirmation and
// the role of the agent are in the Step itself.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/boxed.h"
#include "base/json/json.h"

namespace baton::workflow {

struct StepType;

/// The artifact that must be sent.
struct OutputContract {
  std::string contract;
  bool required = true;
  Boxed<std::string> capability;  // the one that an observation must be about
  bool operator==(const OutputContract&) const = default;

  static void members(auto& io, auto& self) {
    io("contract", self.contract);
    io("required", self.required);
    io("capability", self.capability);
  }
};

struct PromptStep {
  Boxed<json::Array> fragments;  // {id, when, text}: added when the condition holds
  Boxed<std::string> agent;      // the persona
  Boxed<json::Value> allowed_actions;
  Boxed<json::Value> required_output_format;
  std::vector<std::string> assessments;  // their ids
  Boxed<json::Array> consequences;       // of assessments: {when, effect}
  Boxed<std::string> user_choice;        // a choice only the user can make
  Boxed<json::Value> tools;
  Boxed<json::Value> context;   // values beside the text
  Boxed<json::Value> expected;  // a schema of the answer, or the name of a type
  std::optional<std::int64_t> max_retries;
  Boxed<json::Value> validation;  // rules for the answer
  Boxed<json::Value> criteria;    // rules for the output's text
  Boxed<OutputContract> contract;
  Boxed<json::Array> evidence;  // what the server checks before the step closes
  bool operator==(const PromptStep&) const = default;

  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) {
    io("fragments", self.fragments);
    io("agent", self.agent);
    io("allowed_actions", self.allowed_actions);
    io("required_output_format", self.required_output_format);
    io.when_filled("assessmentRefs", self.assessments);
    io("assessmentConsequences", self.consequences);
    io("nonAssumableChoice", self.user_choice);
    io("tools", self.tools);
    io("context", self.context);
    io("expected_response", self.expected);
    io("max_retries", self.max_retries);
    io("validation", self.validation);
    io("validationCriteria", self.criteria);
    io("outputContract", self.contract);
    io("evidence", self.evidence);
  }
};

}  // namespace baton::workflow
