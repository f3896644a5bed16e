#include "run/graph/frames.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"
#include "run/walk/walk_moves.h"

namespace baton::run {
namespace {

using workflow::CompiledWorkflow;
using workflow::Step;

Known<void> visit(WalkMoves& walk, const Step& step, Scripts& scripts) {
  const RunScope around = walk.scope();
  walk.enter(step, 0);
  auto entered = entered_frame(step.id, *step.as<workflow::Include>(), walk.place(), *walk.states(),
                               around, scripts.updating());
  if (!entered) return at_step(step, "inputs", entered.error());
  return walk.keep({*std::move(entered)});
}

/// The frame ends; what it computed is for the steps around to read.
Known<void> leave_block(WalkMoves& walk, Scripts& scripts) {
  const std::vector<BlockLevel> levels = levels_of(walk.workflow(), walk.cursor());
  const FramePlace outer = frame_of(std::span(levels).first(levels.size() - 1));
  auto left = left_frame(frame_of(levels), outer, *walk.states(), scripts.updating());
  if (!left) return at_step(walk.owner(), "state", left.error());
  return walk.keep(*std::move(left));
}

bool has_frame(const CompiledWorkflow&, const Step&) { return true; }

}  // namespace

StepBehaviour behaviour_of(std::type_identity<workflow::Include>) {
  return {.visit = visit, .leave_block = leave_block, .has_frame = has_frame};
}

}  // namespace baton::run
