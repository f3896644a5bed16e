#pragma once
// Whether an attempt at a step passes: what it reports is read, what the step requires is checked,
// and everything that is wrong is found at once. Nothing is weighed here: run/decide/verdict.h does
// that. Pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/checks/artifacts.h"
#include "run/decide/gates.h"
#include "run/decide/submission.h"
#include "run/decide/verdict.h"
#include "run/graph/state.h"
#include "run/steps/stored_result.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

struct JudgeRequest {
  const workflow::CompiledWorkflow& workflow;
  const workflow::Step& step;
  std::string_view step_key;
  /// Of the node that the attempt creates, with its context and preferences, still at the
  /// step.
  const NodeState& state;
  const StepInput& input;
  Scripts& scripts;
  bool after_block = false;  // whether the attempt before it, at the same step, did not pass
  // Where the step became open or was blocked: its context says whether a person must agree, so
  // that what this attempt sends cannot say otherwise. nullptr: as `state`.
  const NodeState* before = nullptr;
  bool is_simulated = false;                   // then no person has a part
  std::span<const EarlierWrite> earlier = {};  // to the state, since the step is open
};

struct Judgement {
  std::vector<Finding> findings;
  std::vector<LoopControl> loop_controls;
  std::optional<json::Value> result;   // for the step's updates; none: nothing was sent
  bool is_stored = false;              // the state has the result; it need not be sent
  std::vector<std::size_t> made = {};  // of the step's updates, those that a caller made
  std::optional<StepFailure> failure;  // the step could not be done; then nothing was checked
  // Facts of the new node, in order: those of any attempt, and those of one that passes. A retry
  // sends the whole output again, so what would be recorded twice waits for it.
  std::vector<Event> facts;
  std::vector<Event> facts_when_passed;
  std::vector<Gap> gaps;      // of an attempt that passes, beyond its findings; without id and step
  json::Object example;       // an `output` that would pass; only when there are findings
  json::Object step_context;  // how the result was assessed; may be empty
  std::vector<std::string> warnings;
  PersonRule person = {};   // what a person has to say to it before it passes
  bool has_answer = false;  // of the user, to the question that the step asks
};

/// INVALID_INPUT when something was sent that cannot be read, and an error when the script of a
/// condition fails: then nothing is recorded. A step that
/// requires nothing, with an output that reports nothing, costs next to nothing.
Known<Judgement> judge(const JudgeRequest& judging);

/// What a checkpoint reports: observations, divergence and closed gaps. Nothing is required of it.
Result<Judgement> note_checkpoint(const NodeState& state, const json::Array& artifacts);

}  // namespace baton::run
