#include "run/steps/loop.h"

#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "run/steps/behaviour.h"
#include "run/steps/rounds.h"
#include "run/walk/condition.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::Loop;
using workflow::LoopKind;
using workflow::Step;

const Loop& loop_of(const Step& step) { return *step.as<Loop>(); }

RoundSource source_of(const Loop& loop) {
  if (loop.is_decidable()) return {};
  return loop.kind == LoopKind::items ? items_source(loop.items.get())
                                      : count_source(loop.count.get());
}

/// A number of rounds, also as a text; nothing for anything else.
std::optional<std::int64_t> count_in(const Value& value) {
  std::optional<std::int64_t> count;
  if (const std::int64_t* number = value.if_int()) count = *number;
  if (const std::string* text = value.if_string()) count = parse_int(*text);
  return count && *count >= 0 ? count : std::nullopt;
}

const json::Array* items_of(const Loop& loop, const CursorFrame& frame) {
  if (frame.pinned != nullptr) return frame.pinned->if_array();
  const Value* list = loop.items ? loop.items->find("list") : nullptr;
  return list == nullptr ? nullptr : list->if_array();
}

/// How many rounds a loop has that runs by a count or by items.
std::int64_t rounds_of(const Loop& loop, const CursorFrame& frame) {
  if (const json::Array* items = items_of(loop, frame)) return std::ssize(*items);
  const Value* count = frame.pinned != nullptr ? frame.pinned.get() : loop.count.get();
  const std::int64_t* rounds = count == nullptr ? nullptr : count->if_int();
  return rounds == nullptr ? 0 : *rounds;
}

std::unexpected<Error> too_many(const Step& step, std::int64_t rounds) {
  return fail(Code::LOOP_BOUND_REACHED,
              cat("the loop \"", step.id, "\" would have ", rounds, " rounds; at most ",
                  loop_of(step).max_iterations, " are allowed; nothing was recorded"),
              "send the same call again with context that needs fewer rounds");
}

std::unexpected<Error> bound_reached(const Step& step) {
  return fail(Code::LOOP_BOUND_REACHED,
              cat("the loop \"", step.id, "\" has had its ", loop_of(step).max_iterations,
                  " rounds and would continue; nothing was recorded"),
              cat("send the same call again with context that ends the loop, or with the "
                  "artifact {\"kind\":\"baton.loop_control\",\"loopId\":\"",
                  step.id, "\",\"decision\":\"stop\"}"));
}

void note_round(WalkMoves& walk, const Step& step, std::string_view why, bool goes_on) {
  walk.note(
      TraceKind::evaluated_condition,
      cat("the loop \"", step.id, goes_on ? "\" continues: " : "\" ends: ", why),
      {{TraceRefKind::loop_id, step.id}, {TraceRefKind::iteration, cat(walk.frame().iteration)}});
}

/// The walk stops here, unless the run continues without the loop.
Known<void> lacks(WalkMoves& walk, const Step& step, Finding finding, Object example) {
  if (walk.is_given_up(step.id)) {
    return exit_loop(walk,
                     "its items or its decision are missing, and the run continues without it");
  }
  walk.meet({step.id, std::move(finding), std::move(example)});
  return {};
}

Known<void> lacks_decision(WalkMoves& walk, const Step& step) {
  const Value control =
      Object{{"kind", "baton.loop_control"}, {"loopId", step.id}, {"decision", "continue"}};
  return lacks(
      walk, step,
      {.reason = Reason::missing_required_output,
       .pointer = {PointerKind::output_contract, "loop_control"},
       .message = cat("a round of the loop \"", step.id,
                      "\" has ended, and no artifact says whether the loop continues"),
       .fix = cat("add the artifact ", json::print(control), ", or the same with \"stop\"")},
      {{notes_key, notes_placeholder}, {"artifacts", json::Array{control}}});
}

/// What the agent said, else what the condition says. A loop that the agent controls begins its
/// first round unasked; nothing when it then has not said anything.
Known<std::optional<bool>> decided(WalkMoves& walk, const Step& step, Scripts& scripts) {
  const Loop& loop = loop_of(step);
  const CursorFrame& frame = walk.frame();
  if (frame.decision) {
    const bool goes_on = *frame.decision == LoopDecision::go_on;
    note_round(walk, step, cat("the agent decided: ", name_of(*frame.decision)), goes_on);
    return goes_on;
  }
  if (loop.control && frame.iteration == 0) return true;
  if (!loop.condition) return loop.control ? std::nullopt : std::optional(false);
  const bool is_true = TRY(walk.evaluate(*loop.condition, step, "condition", scripts));
  return is_true != (loop.kind == LoopKind::repeat_until);
}

bool counted(WalkMoves& walk, const Step& step) {
  const CursorFrame& frame = walk.frame();
  const std::int64_t rounds = rounds_of(loop_of(step), frame);
  const bool goes_on = frame.iteration < rounds;
  note_round(walk, step, cat(frame.iteration, " of ", rounds, " rounds are done"), goes_on);
  return goes_on;
}

/// Enters the next round of the innermost frame, or leaves its loop.
Known<void> begin_round(WalkMoves& walk, Scripts& scripts) {
  const Step& step = walk.owner();
  CursorFrame& frame = walk.frame();
  const std::optional<bool> goes_on = loop_of(step).is_decidable()
                                          ? TRY(decided(walk, step, scripts))
                                          : std::optional(counted(walk, step));
  if (!goes_on) return lacks_decision(walk, step);
  frame.decision.reset();
  frame.index = 0;
  if (!*goes_on) return exit_loop(walk, "it is complete");
  if (frame.iteration >= loop_of(step).max_iterations) return bound_reached(step);
  return {};
}

/// Keeps what the loop runs over for all its rounds; false when it is not there, which is an
/// obstacle or the loop's end.
Known<bool> pin(WalkMoves& walk, const Step& step, const RoundSource& source, Scripts& scripts) {
  const std::optional<Value> found = TRY(value_of_source(source, walk, step, scripts));
  std::optional<Value> kept;
  if (found && source.is_items() && found->is_array()) {
    kept = found;
  } else if (found && !source.is_items()) {
    if (const auto count = count_in(*found)) kept = *count;
  }
  if (!kept && walk.states() != nullptr) {
    return wrong_rounds(source, step, found);
  }
  if (!kept) {
    TRY(lacks(walk, step, missing_rounds(source, step, found), {}));
    return false;
  }
  walk.frame().pinned = std::make_shared<const Value>(*std::move(kept));
  return true;
}

Known<void> visit(WalkMoves& walk, const Step& step, Scripts& scripts) {
  const Loop& loop = loop_of(step);
  walk.note(TraceKind::entered_loop,
            cat("the loop \"", step.id, "\" starts, with at most ", loop.max_iterations, " rounds"),
            {{TraceRefKind::loop_id, step.id}});
  const RoundSource source = source_of(loop);
  auto list = TRY(evaluated_list(source, walk, step, scripts));
  walk.enter(step, 0);
  walk.frame().pinned = std::move(list);
  if (source.text != nullptr && !TRY(pin(walk, step, source, scripts))) return {};
  if (!loop.is_decidable()) {
    const std::int64_t rounds = rounds_of(loop, walk.frame());
    if (rounds > loop.max_iterations) return too_many(step, rounds);
  }
  return begin_round(walk, scripts);
}

void add_variables(Object& out, const Step& step, const CursorFrame& frame, const std::string&) {
  const Loop& loop = loop_of(step);
  if (loop.iteration_var) {
    out.set(*loop.iteration_var, frame.iteration + 1);
  } else {
    out.set("loop", Object{{"iteration", frame.iteration + 1}});
  }
  const json::Array* items = items_of(loop, frame);
  if (items == nullptr) return;
  const auto index = static_cast<std::size_t>(frame.iteration);
  if (loop.item_var && index < items->size()) out.set(*loop.item_var, (*items)[index]);
  if (loop.index_var) out.set(*loop.index_var, frame.iteration);
}

std::vector<std::string> variable_names(const Step& step) {
  const Loop& loop = loop_of(step);
  std::vector<std::string> out;
  for (const auto* name : {&loop.item_var, &loop.index_var, &loop.iteration_var}) {
    if (*name) out.push_back(**name);
  }
  return out;
}

/// `while has_errors`, `for each of files`, `3 times`.
std::string block_condition(const Step& step, std::string_view) {
  const Loop& loop = loop_of(step);
  if (loop.items) return cat("for each of ", source_text(*loop.items));
  if (loop.count) return cat(source_text(*loop.count), " times");
  const std::string_view kind = workflow::names_of(loop.kind)[static_cast<std::size_t>(loop.kind)];
  if (loop.condition) return cat(kind, ' ', condition_text(*loop.condition));
  return cat(kind, " the agent decides so");
}

}  // namespace

StepBehaviour behaviour_of(std::type_identity<Loop>) {
  return {.visit = visit,
          .end_block = end_round,
          .has_rounds = true,
          .is_loop = true,
          .condition = [](const Step& step) { return loop_of(step).condition.get(); },
          .items = [](const Step& step) { return loop_of(step).items.get(); },
          .count = [](const Step& step) { return loop_of(step).count.get(); },
          .asks_after_round = [](const Step& step) { return bool(loop_of(step).control); },
          .variable_names = variable_names,
          .add_variables = add_variables,
          .block_condition = block_condition};
}

Known<void> end_round(WalkMoves& walk, Scripts& scripts) {
  ++walk.frame().iteration;
  return begin_round(walk, scripts);
}

Known<void> exit_loop(WalkMoves& walk, std::string_view why) {
  const std::string loop = walk.owner().id;
  const std::int64_t rounds = walk.frame().iteration;
  walk.note(TraceKind::exited_loop,
            cat("the loop \"", loop, "\" ends after ", rounds, " rounds: ", why),
            {{TraceRefKind::loop_id, loop}, {TraceRefKind::iteration, cat(rounds)}});
  walk.drop_block();
  walk.pass();
  return {};
}

Result<void> note_decisions(const workflow::CompiledWorkflow& workflow, Cursor& cursor,
                            std::span<const LoopControl> controls) {
  if (controls.empty()) return {};
  const std::vector<BlockLevel> levels = levels_of(workflow, cursor);
  const auto is_decidable = [](const Step* step) {
    const Loop* loop = step == nullptr ? nullptr : step->as<Loop>();
    return loop != nullptr && loop->is_decidable();
  };
  for (const LoopControl& control : controls) {
    std::size_t depth = levels.size() - 1;
    const auto fits = [&](const Step& step) {
      if (!is_decidable(&step)) return false;
      const Boxed<workflow::LoopArtifact>& by = loop_of(step).control;
      const bool has_other_name = by && by->loop_id && *by->loop_id == control.loop_id;
      return control.loop_id.empty() || control.loop_id == step.id || has_other_name;
    };
    while (depth > 0 && !fits(*levels[depth].owner)) --depth;
    if (depth > 0) {
      cursor.frames[depth - 1].decision = control.decision;
      continue;
    }
    std::string around;
    for (const BlockLevel& level : levels) {
      if (!is_decidable(level.owner)) continue;
      around += cat(around.empty() ? "" : ", ", '"', level.owner->id, '"');
    }
    return fail(Code::INVALID_INPUT,
                cat("the loop_control artifact ",
                    control.loop_id.empty() ? std::string("names no loop")
                                            : cat("names the loop \"", control.loop_id, '"'),
                    ", but this step is in ",
                    around.empty() ? std::string("no loop that it could end") : around,
                    "; nothing was recorded"),
                around.empty() ? cat("send the output of the step \"", key_at(workflow, cursor),
                                     "\", without this artifact")
                               : cat("set its loopId to ", around));
  }
  return {};
}

}  // namespace baton::run
