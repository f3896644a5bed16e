#include "run/steps/loop.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/checks/artifacts.h"
#include "run/checks/slots.h"
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

Rounds rounds(const Step& step, const CursorFrame& frame) {
  const Loop& loop = loop_of(step);
  Rounds out{.most = loop.max_iterations, .is_until = loop.kind == LoopKind::repeat_until};
  if (!loop.is_decidable()) out.all = rounds_of(loop, frame);
  return out;
}

constexpr std::size_t named_items_max = 5;
constexpr std::size_t named_item_bytes_max = 60;

/// What a loop by a count or by items does not come to. REQUIRES: it has more rounds than its
/// bound.
std::string left_out(const Loop& loop, const CursorFrame& frame) {
  const std::int64_t rounds = rounds_of(loop, frame);
  const std::int64_t done = frame.iteration;
  const json::Array* items = items_of(loop, frame);
  if (items == nullptr) {
    return cat(rounds - done, rounds - done == 1 ? " round of " : " rounds of ", rounds);
  }
  std::string named;
  const std::size_t first = static_cast<std::size_t>(done);
  for (std::size_t i = first; i < items->size() && i < first + named_items_max; ++i) {
    named += cat(named.empty() ? "" : ", ",
                 utf8::truncate(json::print((*items)[i]), named_item_bytes_max));
  }
  const std::size_t left = items->size() - first;
  if (left > named_items_max) named += cat(" and ", left - named_items_max, " more");
  return cat(left, left == 1 ? " item of " : " items of ", items->size(), ": ", named);
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
  const Value control = Object{
      {"kind", "baton.loop_control"}, {"loopId", step.id}, {"decision", slot("continue | stop")}};
  return lacks(walk, step,
               {.reason = Reason::missing_required_output,
                .pointer = {PointerKind::output_contract, "loop_control"},
                .message = cat("a round of the loop \"", step.id,
                               "\" has ended, and no artifact says whether the loop continues"),
                .fix = cat("add the artifact ", json::print(control))},
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

/// The loop ends in every mode: its author says how often it goes around at most. Where its
/// own condition would go on, or items are left, there is work that the run leaves out.
Known<void> end_at_bound(WalkMoves& walk, const Step& step, Scripts& scripts) {
  const Loop& loop = loop_of(step);
  const CursorFrame& frame = walk.frame();
  LoopCut cut{.loop = step.id,
              .message = cat("the loop \"", step.id, "\" ended at its bound of ",
                             loop.max_iterations, loop.max_iterations == 1 ? " round" : " rounds"),
              .leaves_work = true};
  if (!loop.is_decidable()) {
    cut.message += cat("; left out: ", left_out(loop, frame));
  } else {
    // What the agent says counts more than the condition, which is asked once more for the gap.
    if (frame.decision && loop.condition) {
      const bool is_true = TRY(walk.evaluate(*loop.condition, step, "condition", scripts));
      cut.leaves_work = is_true != (loop.kind == LoopKind::repeat_until);
    }
    cut.message += frame.decision    ? ", though the agent would have continued"
                   : cut.leaves_work ? ", though its condition would have it continue"
                                     : "";
  }
  walk.cut(std::move(cut));
  return exit_loop(walk, "its bound is reached");
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
  if (*goes_on && frame.iteration >= loop_of(step).max_iterations) {
    return end_at_bound(walk, step, scripts);
  }
  frame.decision.reset();
  frame.index = 0;
  return *goes_on ? Known<void>() : exit_loop(walk, "it is complete");
}

/// Whether code decides about a condition. Conditions are as deep as a compiled workflow may be.
bool has_code(const Value& condition) {
  if (condition.find("js") != nullptr) return true;
  for (const std::string_view key : {"and", "or"}) {
    const Value* list = condition.find(key);
    if (list == nullptr || !list->is_array()) continue;
    for (const Value& each : *list->if_array()) {
      if (has_code(each)) return true;
    }
  }
  const Value* inner = condition.find("not");
  return inner != nullptr && has_code(*inner);
}

/// Why a round follows another one. The values are those that the loop went by.
std::string why_again(const Step& step, const RunScope& scope) {
  const Loop& loop = loop_of(step);
  constexpr std::string_view by_word = ", which repeats because the last round decided to continue";
  if (!loop.condition) return std::string(by_word);
  const std::string text = condition_text(*loop.condition);
  if (has_code(*loop.condition)) return cat(", which repeats by its condition ", text);
  const Object nothing;
  Scripts unused(nothing);
  const auto is_true = holds(*loop.condition, scope, unused);
  const bool is_until = loop.kind == LoopKind::repeat_until;
  if (!is_true || *is_true == is_until) return std::string(by_word);
  return is_until ? cat(", which repeats until ", text)
                  : cat(", which repeats because ", text, " holds");
}

/// "Round 2 of at most 3 of the loop ..."
std::string round_text(const Step& step, const CursorFrame& frame, const RunScope& scope) {
  const Rounds of = rounds(step, frame);
  const bool is_cut = of.all && *of.all > of.most;
  std::string out =
      cat("Round ", frame.iteration + 1, of.all && !is_cut ? " of " : " of at most ",
          of.all ? std::min(*of.all, of.most) : of.most, " of the loop \"", step.id, '"');
  if (!of.all && frame.iteration > 0) out += why_again(step, scope);
  return out += '.';
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
  return begin_round(walk, scripts);
}

void add_variables(Object& out, const Step& step, const CursorFrame& frame, const std::string&) {
  const Loop& loop = loop_of(step);
  const json::Array* items = items_of(loop, frame);
  const auto index = static_cast<std::size_t>(frame.iteration);
  if (loop.iteration_var) {
    out.set(*loop.iteration_var, frame.iteration + 1);
  } else {
    Object own{{"iteration", frame.iteration + 1}};
    if (items != nullptr && index < items->size()) {
      own.set("item", (*items)[index]);
      own.set("index", frame.iteration);
    }
    out.set("loop", std::move(own));
  }
  if (items == nullptr) return;
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
          .block_condition = block_condition,
          .rounds = rounds,
          .round_text = round_text};
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

bool is_decidable(const Step* step) {
  const Loop* loop = step == nullptr ? nullptr : step->as<Loop>();
  return loop != nullptr && loop->is_decidable();
}

namespace {

/// Whether an artifact that names a loop means this one.
bool is_named(const LoopControl& control, const Step& step) {
  const Boxed<workflow::LoopArtifact>& by = loop_of(step).control;
  const bool has_other_name = by && by->loop_id && *by->loop_id == control.loop_id;
  return control.loop_id.empty() || control.loop_id == step.id || has_other_name;
}

/// The loop right behind the step at the cursor, if an agent can decide about it.
const Step* loop_after(const workflow::CompiledWorkflow& workflow, const Cursor& cursor) {
  Cursor next = cursor;
  ++(next.frames.empty() ? next.position : next.frames.back().index);
  const Step* step = step_at(workflow, next);
  return is_decidable(step) ? step : nullptr;
}

/// What was said before a loop began counts as what would be said of its first round: `stop` leaves
/// the loop out, `continue` enters it whatever its condition says.
void decide_entry(const Step& loop, LoopDecision decision, Cursor& cursor) {
  std::int64_t& index = cursor.frames.empty() ? cursor.position : cursor.frames.back().index;
  if (decision == LoopDecision::stop) {
    ++index;
    return;
  }
  // It enters by itself, or whether it is left out at all is not about its rounds.
  if (loop_of(loop).control || loop.run_condition) return;
  ++index;
  cursor.frames.push_back({.block = 0, .iteration = 0, .index = -1, .decision = {}, .pinned = {}});
}

std::unexpected<Error> wrong_loop(const LoopControl& control, const std::string& around,
                                  const std::string& step_key) {
  return fail(Code::INVALID_INPUT,
              cat("the loop_control artifact ",
                  control.loop_id.empty() ? std::string("names no loop")
                                          : cat("names the loop \"", control.loop_id, '"'),
                  ", but this step is in ",
                  around.empty() ? std::string("no loop that it could end") : around,
                  "; nothing was recorded"),
              around.empty()
                  ? cat("send the output of the step \"", step_key, "\", without this artifact")
                  : cat("set its loopId to ", around));
}

}  // namespace

bool is_before_loop(const workflow::CompiledWorkflow& workflow, const Cursor& cursor) {
  return loop_after(workflow, cursor) != nullptr;
}

Result<void> note_decisions(const workflow::CompiledWorkflow& workflow, Cursor& cursor,
                            std::span<const LoopControl> controls) {
  if (controls.empty()) return {};
  const std::vector<BlockLevel> levels = levels_of(workflow, cursor);
  const Step* at = step_at(workflow, cursor);
  const Step* next = loop_after(workflow, cursor);
  const std::string key = at == nullptr ? std::string() : key_at(workflow, cursor);
  std::optional<LoopDecision> entry;
  for (LoopControl control : controls) {
    const auto innermost = [&] {
      std::size_t depth = levels.size() - 1;
      const auto is_meant = [&](const Step* step) {
        return is_decidable(step) && is_named(control, *step);
      };
      while (depth > 0 && !is_meant(levels[depth].owner)) --depth;
      return depth;
    };
    // An author's prompt may give a loop a name that the file does not have: it means the nearest.
    const bool is_prescribed =
        !control.loop_id.empty() && at != nullptr && at->prompt.contains(control.loop_id);
    std::size_t depth = innermost();
    bool is_next = depth == 0 && next != nullptr && is_named(control, *next);
    if (depth == 0 && !is_next && is_prescribed) {
      control.loop_id.clear();
      depth = innermost();
      is_next = depth == 0 && next != nullptr;
    }
    if (is_next) {
      entry = control.decision;
      continue;
    }
    if (depth > 0) {
      cursor.frames[depth - 1].decision = control.decision;
      continue;
    }
    std::string around;
    for (const BlockLevel& level : levels) {
      if (!is_decidable(level.owner)) continue;
      around += cat(around.empty() ? "" : ", ", '"', level.owner->id, '"');
    }
    return wrong_loop(control, around, key);
  }
  if (entry) decide_entry(*next, *entry, cursor);
  return {};
}

}  // namespace baton::run
