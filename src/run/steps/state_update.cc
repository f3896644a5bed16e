#include "run/graph/frames.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"
#include "run/walk/walk_moves.h"

namespace baton::run {
namespace {

using workflow::Step;

Known<std::vector<StateUpdated>> written(WalkMoves& walk, const Step& step, Scripts& scripts) {
  const UpdateContext updating = scripts.updating();
  const auto writes = TRY(writes_of(step.updates ? *step.updates : json::Array(),
                                    walk.scope().names(walk.schemas()), updating));
  const std::string key = key_at(walk.workflow(), walk.cursor());
  auto updated = TRY(updated_frames(
      walk.place(), *walk.states(), writes,
      writes_of({StepNote::Kind::completed, {key, {}, {}}}, *walk.schemas()), key, updating));
  keep_task_writes(levels_of(walk.workflow(), walk.cursor()), writes, updated);
  return updated;
}

Known<void> visit(WalkMoves& walk, const Step& step, Scripts& scripts) {
  auto updates = written(walk, step, scripts);
  if (!updates) return at_step(step, "updates", updates.error());
  TRY(walk.keep(*std::move(updates)));
  walk.pass();
  return {};
}

}  // namespace

StepBehaviour behaviour_of(std::type_identity<workflow::StateUpdate>) {
  return {.may_write = true, .visit = visit};
}

}  // namespace baton::run
