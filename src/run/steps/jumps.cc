// The steps that only say where the run continues: break, continue and exit.

#include "base/text/text.h"
#include "run/steps/behaviour.h"
#include "run/steps/loop.h"

namespace baton::run {
namespace {

using workflow::Step;

Known<void> break_loop(WalkMoves& walk, const Step& step, Scripts& scripts) {
  TRY(walk.leave_to_loop(scripts));
  return exit_loop(walk, cat("left by the step \"", step.id, '"'));
}

Known<void> continue_loop(WalkMoves& walk, const Step&, Scripts& scripts) {
  TRY(walk.leave_to_loop(scripts));
  return end_round(walk, scripts);
}

Known<void> end_run(WalkMoves& walk, const Step& step, Scripts&) {
  walk.note(TraceKind::selected_next_step, cat("the run ends at the step \"", step.id, '"'),
            {{TraceRefKind::step_id, step.id}});
  walk.end_run();
  return {};
}

}  // namespace

StepBehaviour behaviour_of(std::type_identity<workflow::BreakLoop>) {
  return {.visit = break_loop};
}

StepBehaviour behaviour_of(std::type_identity<workflow::ContinueLoop>) {
  return {.visit = continue_loop};
}

StepBehaviour behaviour_of(std::type_identity<workflow::Exit>) { return {.visit = end_run}; }

}  // namespace baton::run
