#include "run/walk/walk_moves.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"
#include "run/walk/condition.h"

namespace baton::run {

using workflow::Step;

WalkMoves::WalkMoves(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
                     const NodeState& state, Cursor cursor, std::vector<std::string> given_up)
    : workflow_(&workflow),
      schemas_(schemas),
      cursor_(std::move(cursor)),
      context_(state.context),
      states_(state.states),
      setbacks_(state.known().setbacks),
      run_(state.task ? state.task->run : state.run),
      given_up_(std::move(given_up)) {
  retrace();
}

void WalkMoves::retrace() {
  path_.clear();
  for (const BlockLevel& level : levels_of(*workflow_, cursor_)) {
    path_.push_back({level.owner, level.steps});
  }
}

std::int64_t& WalkMoves::index() {
  return cursor_.frames.empty() ? cursor_.position : cursor_.frames.back().index;
}

FramePlace WalkMoves::place() const { return frame_of(levels_of(*workflow_, cursor_)); }

RunScope WalkMoves::scope() const { return scope_with({}); }

RunScope WalkMoves::scope_with(json::Object more) const {
  json::Object variables = variables_at(*workflow_, cursor_, setbacks_);
  for (json::Member& each : more) variables.set(each.key, std::move(each.value));
  json::Object spare = spare_names(*workflow_, cursor_, run_);
  if (states_ == nullptr) {
    return RunScope(*context_, std::move(variables)).with_spare_names(std::move(spare));
  }
  return RunScope(*context_, std::move(variables), states_.get(), place())
      .with_spare_names(std::move(spare));
}

bool WalkMoves::is_given_up(std::string_view step) const {
  return std::ranges::find(given_up_, step) != given_up_.end();
}

void WalkMoves::enter(const Step& owner, std::size_t block) {
  static const std::vector<Step> nothing;
  path_.push_back({&owner, block < owner.blocks.size() ? &owner.blocks[block].steps : &nothing});
  cursor_.frames.push_back({.block = static_cast<std::int64_t>(block), .iteration = 0, .index = 0});
}

Known<void> WalkMoves::leave(Scripts& scripts) {
  if (const auto leave_block = behaviour_of(owner()).leave_block) {
    TRY(leave_block(*this, scripts));
  }
  drop_block();
  return {};
}

Known<void> WalkMoves::leave_to_loop(Scripts& scripts) {
  while (path_.size() > 2 && !behaviour_of(owner()).is_loop) TRY(leave(scripts));
  return {};
}

void WalkMoves::drop_block() {
  path_.pop_back();
  cursor_.frames.pop_back();
}

void WalkMoves::end_run() {
  while (path_.size() > 1) drop_block();
  cursor_.position = outermost().first + std::ssize(*outermost().steps);
  found_ = true;
}

void WalkMoves::stop(std::shared_ptr<const json::Value> items) {
  items_ = std::move(items);
  found_ = true;
}

Result<void> WalkMoves::keep(std::vector<StateUpdated> updates) {
  for (StateUpdated& each : updates) {
    TRY(replay(states_, each));
    updates_.push_back(std::move(each));
  }
  return {};
}

Known<bool> WalkMoves::evaluate(const json::Value& condition, const Step& step,
                                std::string_view field, Scripts& scripts) {
  const auto held = holds(condition, scope(), scripts);
  if (!held) return at_step(step, field, held.error());
  const bool result = *held;
  const bool is_loop = behaviour_of(step).is_loop;  // its trace has a kind of its own
  std::vector<TraceRef> refs{{TraceRefKind::condition_id, cat(step.id, '.', field)},
                             {is_loop ? TraceRefKind::loop_id : TraceRefKind::step_id, step.id}};
  if (!cursor_.frames.empty()) {
    refs.push_back({TraceRefKind::iteration, cat(cursor_.frames.back().iteration)});
  }
  note(TraceKind::evaluated_condition,
       cat(step.id, '.', field, ": ", condition_text(condition), " is ", result ? "true" : "false"),
       std::move(refs));
  return result;
}

void WalkMoves::note(TraceKind kind, std::string_view summary, std::vector<TraceRef> refs) {
  trace_.push_back(
      {kind, utf8::truncate(summary, limits::trace_summary_bytes_max), std::move(refs)});
}

}  // namespace baton::run
