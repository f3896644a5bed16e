#include "run/walk/walk.h"

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/steps/behaviour.h"

namespace baton::run {
namespace {

using workflow::Step;

/// Before the steps that clean up after a task, or behind its last step when there are none or when
/// they were begun. `depth`: of the frame that the task is in.
Cursor to_cleanup(const workflow::CompiledWorkflow& workflow, Cursor cursor, std::size_t depth,
                  const Step& owner) {
  const std::vector<workflow::Block>& blocks = workflow::blocks_of(workflow, owner);
  cursor.frames.resize(depth);
  CursorFrame& frame = cursor.frames.back();
  const bool begins = frame.block == 0 && blocks.size() > 1;
  if (begins) frame.block = 1;
  frame.index = begins ? 0 : std::ssize(blocks[static_cast<std::size_t>(frame.block)].steps);
  return cursor;
}

std::size_t bytes_of(const TraceEntry& entry) {
  std::size_t bytes = entry.summary.size();
  for (const TraceRef& ref : entry.refs) bytes += ref.value.size();
  return bytes;
}

}  // namespace

Result<Walk> Walk::onwards(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
                           const NodeState& state, Cursor cursor,
                           std::vector<std::string> given_up) {
  Walk walk(workflow, schemas, state, std::move(cursor), std::move(given_up));
  if (walk.path_.size() != walk.cursor_.frames.size() + 1) {
    return fail(Code::STORE_CORRUPT, "a node is at a step that its workflow does not have");
  }
  ++walk.index();
  return walk;
}

Walk Walk::again(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
                 const NodeState& state, Cursor cursor) {
  Walk walk(workflow, schemas, state, std::move(cursor), {});
  walk.is_leaving_ = true;
  return walk;
}

Walk Walk::to_failure(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
                      const NodeState& state) {
  const std::vector<BlockLevel> levels = levels_of(workflow, state.cursor);
  if (const auto around = around_task(levels); !around.empty()) {
    const std::size_t depth = around.size();  // the outermost level has no frame
    return Walk(workflow, schemas, state,
                to_cleanup(workflow, state.cursor, depth, *levels[depth].owner), {});
  }
  std::int64_t position = failure_position(workflow);
  if (state.cursor.position >= position) position += std::ssize(workflow.on_failure);
  return Walk(workflow, schemas, state, {position, {}}, {});
}

Known<void> Walk::go(state::ScriptAnswers& answers, const FreshInputs& drawn) {
  while (!found_ && !obstacle_) {
    if (rounds_ > limits::walk_rounds_max) {
      return fail(Code::LIMIT_EXCEEDED,
                  cat("after ", limits::walk_rounds_max,
                      " steps that the server passed by itself, no step for an agent was found"),
                  "send context that ends the loop, or a loop_control artifact with decision stop");
    }
    Scripts scripts(answers, draw_of_act(drawn, rounds_ + 1), schemas_);
    const Cursor before = cursor_;
    const std::size_t noted = trace_.size();
    const std::size_t updated = updates_.size();
    const std::size_t cut = cuts_.size();
    auto states = states_;
    const bool was_leaving = is_leaving_;
    const auto looked = look(scripts);
    if (is_not_yet(looked)) {
      cursor_ = before;
      is_leaving_ = was_leaving;
      trace_.resize(noted);
      updates_.resize(updated);
      cuts_.resize(cut);
      states_ = std::move(states);
      obstacle_.reset();
      items_.reset();
      found_ = false;
      retrace();
    }
    TRY(looked);
    answers.forget();
    ++rounds_;
  }
  return {};
}

/// Handles the step at the cursor.
Known<void> Walk::look(Scripts& scripts) {
  if (is_leaving_) return leave_all(scripts);
  const std::vector<Step>& steps = *path_.back().steps;
  const auto at =
      static_cast<std::size_t>(path_.size() > 1 ? index() : index() - outermost().first);
  if (at < steps.size()) return visit(steps[at], scripts);
  if (path_.size() == 1) {
    found_ = true;
    return {};
  }
  if (const auto end_block = behaviour_of(owner()).end_block) return end_block(*this, scripts);
  TRY(leave(scripts));
  pass();
  return {};
}

Known<void> Walk::visit(const Step& step, Scripts& scripts) {
  if (step.run_condition && !TRY(evaluate(*step.run_condition, step, "runCondition", scripts))) {
    pass();
    return {};
  }
  if (const auto visit_step = behaviour_of(step).visit) return visit_step(*this, step, scripts);
  stop();
  return {};
}

Known<void> Walk::leave_all(Scripts& scripts) {
  while (path_.size() > 1) TRY(leave(scripts));
  cursor_ = {};
  retrace();
  is_leaving_ = false;
  return {};
}

Walked Walk::arrived() && {
  if (obstacle_) return Walked{.cursor = {}, .obstacle = std::move(obstacle_)};
  const bool ended_by_step = !trace_.empty() && trace_.back().kind == TraceKind::selected_next_step;
  if (!trace_.empty() && !ended_by_step) {
    const bool is_complete = step_at(*workflow_, cursor_) == nullptr;
    if (is_complete) {
      note(TraceKind::selected_next_step, "no step is left: the run is complete", {});
    } else {
      const std::string key = key_at(*workflow_, cursor_);
      note(TraceKind::selected_next_step, cat("the next step is ", key),
           {{TraceRefKind::step_id, key}});
    }
  }
  return Walked{.cursor = std::move(cursor_),
                .updates = std::move(updates_),
                .states = std::move(states_),
                .trace = std::move(trace_),
                .cuts = std::move(cuts_),
                .items = std::move(items_)};
}

Gap gap_of(const LoopCut& cut) {
  ASSERT(cut.leaves_work);
  return {.id = {},
          .severity = GapSeverity::critical,
          .reason = Reason::loop_bound_reached,
          .summary = utf8::truncate(cut.message, limits::blocker_message_bytes_max),
          .step = cut.loop};
}

void append_trace(std::vector<Event>& events, const RunId& run, const NodeId& node,
                  std::vector<TraceEntry> trace) {
  DecisionTraceAppended event{run, node, {}};
  std::size_t bytes = 0;
  const auto flush = [&] {
    if (!event.entries.empty()) events.push_back(std::move(event));
    event = {run, node, {}};
    bytes = 0;
  };
  for (TraceEntry& entry : trace) {
    const std::size_t more = bytes_of(entry);
    if (event.entries.size() == limits::trace_entries_max ||
        bytes + more > limits::trace_event_bytes_max) {
      flush();
    }
    bytes += more;
    event.entries.push_back(std::move(entry));
  }
  flush();
}

}  // namespace baton::run
