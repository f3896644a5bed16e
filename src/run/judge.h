#pragma once
// The judgement of an attempt: what its output is worth against what its step asks for. It is
// weighed (run/reasons.h) and recorded by whoever decides. Pure.

#include <string_view>
#include <vector>

#include "run/artifacts.h"
#include "run/input.h"
#include "run/reasons.h"
#include "run/state.h"
#include "workflow/compiled.h"

namespace baton::run {

struct Judging {
  const workflow::CompiledWorkflow& workflow;
  const workflow::Step& step;
  std::string_view step_key;
  /// Of the node that the attempt makes, with the attempt's context and preferences, still
  /// standing at the step.
  const NodeState& state;
  const Input& input;
  bool after_block = false;  // the attempt before it was blocked
};

struct Judgement {
  std::vector<Finding> findings;
  std::vector<LoopControl> loop_controls;
  std::vector<Event> facts;              // to record whether the attempt passes or not
  std::vector<Event> facts_when_passed;  // and only then
  std::vector<Gap> gaps;                 // the same; without id and step
  json::Object example;                  // an `output` that would pass
  json::Object step_context;
  std::vector<std::string> warnings;
};

/// An error is one of the caller's: nothing is recorded.
Result<Judgement> judge(const Judging& judging);

}  // namespace baton::run
