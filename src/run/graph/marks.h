#pragma once
// What became of a step, by what the log says of the node that it led to. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/log/event.h"

namespace baton::run {

enum class StepMark : std::uint8_t {
  start,        // no step: the run began
  done,         // the step is settled
  failed,       // it could not be done
  blocked,      // what was sent did not pass; the step stays open
  unknown_end,  // the result of its command is not known; the step is the agent's since
  checkpoint,   // progress was saved in the middle of it
  ended,        // the run was ended in the middle of it
  reopened      // the run was reopened there after it had failed
};

std::string_view name_of(StepMark mark);

struct NodeMark {
  StepMark mark = StepMark::start;
  std::string step;                        // its key; empty for the start
  std::optional<StepFailed> failure = {};  // of a step that failed
  RunState run_state = RunState::running;  // what the run was ended as here
  std::string reason;                      // why; may be empty
  std::vector<std::string> skipped = {};   // steps that were passed on the way from here
};

/// The mark of `node` by the events of the commit that made it.
NodeMark mark_of(std::span<const Event> events, const NodeId& node);

}  // namespace baton::run
