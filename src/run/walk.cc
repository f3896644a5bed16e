#include "run/walk.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/condition.h"
#include "workflow/expression.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::Step;
using workflow::StepKind;

const std::string* text_field(const Step& step, std::string_view key) {
  const Value* found = step.fields.find(key);
  return found == nullptr ? nullptr : found->if_string();
}

/// Whether the agent can decide about a loop: those that run by a condition.
bool is_decidable(const Step& step) {
  if (step.kind != StepKind::loop) return false;
  const std::string* kind = text_field(step, "kind");
  return kind != nullptr && (*kind == "while" || *kind == "until");
}

bool runs_over_items(const Step& loop) {
  if (loop.kind == StepKind::parallel_foreach) return true;
  const std::string* kind = text_field(loop, "kind");
  return kind != nullptr && *kind == "forEach";
}

/// The other name that a loop has for the artifacts that control it.
std::string_view control_id(const Step& loop) {
  const Value* control = loop.fields.find("control");
  const Value* id = control == nullptr ? nullptr : control->find("loop_id");
  return id != nullptr && id->is_string() ? std::string_view(*id->if_string()) : "";
}

std::int64_t most_rounds(const Step& loop) {
  const Value* most = loop.fields.find("max_iterations");
  const std::int64_t* number = most == nullptr ? nullptr : most->if_int();
  return number == nullptr ? limits::loop_iterations_max : *number;
}

/// How a loop finds what it runs over: a path, or a script.
struct Source {
  const std::string* text = nullptr;  // nullptr when the workflow has the items or count itself
  bool is_script = false;
};
Source source_of(const Step& loop) {
  const Value* source = loop.fields.find(runs_over_items(loop) ? "items" : "count");
  if (is_decidable(loop) || source == nullptr) return {};
  const Value* path = source->find("var");
  if (path != nullptr && runs_over_items(loop)) return {path->if_string(), false};
  const Value* code = path != nullptr ? path : source->find("js");
  const std::string* text = code == nullptr ? nullptr : code->if_string();
  return {text, text != nullptr && !workflow::plain_path(*text)};
}

std::string_view wanted_by(const Step& loop) {
  return runs_over_items(loop) ? "a list" : "a whole number that is not negative";
}

std::string wanted_rounds(const Step& loop, std::string_view source,
                          const std::optional<Value>& value) {
  const bool is_missing = !value || value->is_null();
  return cat(loop.kind == StepKind::loop ? "the loop \"" : "the step \"", loop.id, "\" needs ",
             wanted_by(loop), " at \"", source, "\", which is ",
             is_missing ? std::string("not set") : cat("of type ", json::name_of(value->type())));
}

/// A number of rounds, also as a text; nothing for anything else.
std::optional<std::int64_t> count_in(const Value& value) {
  std::optional<std::int64_t> count;
  if (const std::int64_t* number = value.if_int()) count = *number;
  if (const std::string* text = value.if_string()) count = parse_int(*text);
  return count && *count >= 0 ? count : std::nullopt;
}

/// Says where something went wrong.
std::unexpected<Error> at_step(const Step& step, std::string_view field, Error error) {
  error.message = cat("\"", field, "\" of the step \"", step.id, "\": ", error.message,
                      "; nothing was recorded");
  return std::unexpected(std::move(error));
}

std::unexpected<Error> too_many(const Step& loop, std::int64_t rounds) {
  return fail(Code::LOOP_BOUND_REACHED,
              cat("the loop \"", loop.id, "\" would have ", rounds, " rounds; at most ",
                  most_rounds(loop), " are allowed; nothing was recorded"),
              "send the same call again with context that needs fewer rounds");
}

std::unexpected<Error> bound_reached(const Step& loop) {
  return fail(Code::LOOP_BOUND_REACHED,
              cat("the loop \"", loop.id, "\" has had its ", most_rounds(loop),
                  " rounds and would continue; nothing was recorded"),
              cat("send the same call again with context that ends the loop, or with the "
                  "artifact {\"kind\":\"baton.loop_control\",\"loopId\":\"",
                  loop.id, "\",\"decision\":\"stop\"}"));
}

/// Before the steps that clean up after a task, or behind its last step when there are none or when
/// they were begun. `depth`: of the frame that the task is in.
Cursor to_cleanup(const workflow::CompiledWorkflow& workflow, Cursor cursor, std::size_t depth,
                  const Step& owner) {
  const std::vector<workflow::Block>& blocks = workflow::blocks_of(workflow, owner);
  cursor.frames.resize(depth);
  Frame& frame = cursor.frames.back();
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

Walk::Walk(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
           const NodeState& state, Cursor cursor, std::vector<std::string> given_up)
    : workflow_(&workflow),
      schemas_(schemas),
      cursor_(std::move(cursor)),
      context_(state.context),
      states_(state.states),
      setbacks_(state.known().setbacks),
      given_up_(std::move(given_up)) {
  retrace();
}

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
  const std::vector<Level> levels = levels_of(workflow, state.cursor);
  if (const auto around = around_task(levels); !around.empty()) {
    const std::size_t depth = around.size();  // the outermost level has no frame
    return Walk(workflow, schemas, state,
                to_cleanup(workflow, state.cursor, depth, *levels[depth].owner), {});
  }
  std::int64_t position = failure_position(workflow);
  if (state.cursor.position >= position) position += std::ssize(workflow.on_failure);
  return Walk(workflow, schemas, state, {position, {}}, {});
}

Result<void> Walk::go(state::Answers& answers, const Drawn& drawn) {
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
    auto states = states_;
    const bool was_leaving = is_leaving_;
    const auto looked = look(scripts);
    if (answers.is_lacking()) {
      cursor_ = before;
      is_leaving_ = was_leaving;
      trace_.resize(noted);
      updates_.resize(updated);
      states_ = std::move(states);
      obstacle_.reset();
      items_.reset();
      found_ = false;
      retrace();
      return {};
    }
    TRY(looked);
    answers.forget();
    ++rounds_;
  }
  return {};
}

/// Handles the step at the cursor.
Result<void> Walk::look(Scripts& scripts) {
  if (is_leaving_) return leave_all(scripts);
  const std::vector<Step>& steps = *path_.back().steps;
  const auto at =
      static_cast<std::size_t>(path_.size() > 1 ? index() : index() - outermost().first);
  if (at < steps.size()) return visit(steps[at], scripts);
  if (path_.size() > 1) return end_of_block(scripts);
  found_ = true;
  return {};
}

Result<void> Walk::visit(const Step& step, Scripts& scripts) {
  if (const Value* when = step.fields.find("runCondition")) {
    if (!TRY(evaluate(*when, step, "runCondition", scripts))) {
      ++index();
      return {};
    }
  }
  switch (step.kind) {
    case StepKind::conditional: return branch(step, scripts);
    case StepKind::loop: return enter(step, scripts);
    case StepKind::state_update: return update(step, scripts);
    case StepKind::include: return include(step, scripts);
    case StepKind::parallel_foreach: return spread(step, scripts);
    case StepKind::break_loop:
      TRY(leave_to_loop(scripts));
      return exit_loop(cat("left by the step \"", step.id, '"'));
    case StepKind::continue_loop: TRY(leave_to_loop(scripts)); return end_of_round(scripts);
    case StepKind::exit:
      note(TraceKind::selected_next_step, cat("the run ends at the step \"", step.id, '"'),
           {{TraceRefKind::step_id, step.id}});
      end_run();
      return {};
    default: found_ = true; return {};
  }
}

Result<void> Walk::branch(const Step& step, Scripts& scripts) {
  const Value* condition = step.fields.find("condition");
  const bool is_true =
      condition != nullptr && TRY(evaluate(*condition, step, "condition", scripts));
  const auto block =
      std::ranges::find(step.blocks, is_true ? "then" : "else", &workflow::Block::name);
  if (block == step.blocks.end()) {
    ++index();
  } else {
    push(step, block - step.blocks.begin());
  }
  return {};
}

Result<void> Walk::end_of_block(Scripts& scripts) {
  const StepKind owner = path_.back().owner->kind;
  if (owner == StepKind::loop) return end_of_round(scripts);
  if (owner == StepKind::parallel_foreach) {
    end_run();  // which carries out a task, and that is done
    return {};
  }
  TRY(leave(scripts));
  ++index();
  return {};
}

void Walk::end_run() {
  while (path_.size() > 1) pop();
  cursor_.position = outermost().first + std::ssize(*outermost().steps);
  found_ = true;
}

// --- sub-agents ---

/// Stops before the step with its items known; a step without items is skipped.
Result<void> Walk::spread(const Step& step, Scripts& scripts) {
  const Source source = source_of(step);
  std::optional<Value> found = TRY(source_value(step, scripts));
  if (scripts.is_lacking()) return {};
  const json::Array* items = found ? found->if_array() : nullptr;
  if (items == nullptr) {
    const std::string named = source.text == nullptr ? std::string("items") : *source.text;
    if (states_ != nullptr) {
      return at_step(step, "items",
                     Error::make(Code::STATE_WRONG_TYPE, wanted_rounds(step, named, found),
                                 "let a step before it write that"));
    }
    if (std::ranges::find(given_up_, step.id) == given_up_.end()) {
      return lacks_rounds(step, named, found);
    }
  } else if (items->size() > limits::parallel_tasks_max) {
    return at_step(step, "items",
                   Error::make(Code::LIMIT_EXCEEDED,
                               cat(items->size(), " items; at most ", limits::parallel_tasks_max,
                                   " are allowed"),
                               "split them over several steps, or give several to each sub-agent"));
  } else if (!items->empty()) {
    items_ = std::make_shared<const Value>(*std::move(found));
    found_ = true;
    return {};
  }
  note(TraceKind::evaluated_condition, cat("the step \"", step.id, "\" has no items: it is passed"),
       {{TraceRefKind::step_id, step.id}});
  ++index();
  return {};
}

// --- state ---

Result<void> Walk::update(const Step& step, Scripts& scripts) {
  const Updating updating = scripts.updating();
  const Value* updates = step.fields.find("updates");
  const auto written = [&]() -> Result<std::vector<StateUpdated>> {
    const auto writes =
        TRY(writes_of(updates == nullptr ? Value() : *updates, scope().names(schemas_), updating));
    if (scripts.is_lacking()) return std::vector<StateUpdated>();
    const std::string key = key_at(*workflow_, cursor_);
    auto updated = TRY(updated_frames(
        place(), *states_, writes, writes_of({StepNote::Kind::completed, {key, {}, {}}}, *schemas_),
        key, updating));
    keep_task_writes(levels_of(*workflow_, cursor_), writes, updated);
    return updated;
  }();
  if (!written) return at_step(step, "updates", written.error());
  if (scripts.is_lacking()) return {};
  TRY(keep(*written));
  ++index();
  return {};
}

Result<void> Walk::include(const Step& step, Scripts& scripts) {
  const Scope around = scope();
  push(step, 0);
  auto entered = entered_frame(step, place(), *states_, around, scripts.updating());
  if (!entered) return at_step(step, "inputs", entered.error());
  if (scripts.is_lacking()) return {};
  return keep({*std::move(entered)});
}

/// Leaves the innermost block; an include's frame ends with it.
Result<void> Walk::leave(Scripts& scripts) {
  if (path_.back().owner->kind == StepKind::include) {
    const FramePlace inner = place();
    const std::vector<Level> levels = levels_of(*workflow_, cursor_);
    const FramePlace outer = frame_of(std::span(levels).first(levels.size() - 1));
    auto left = left_frame(inner, outer, *states_, scripts.updating());
    if (!left) return at_step(*path_.back().owner, "state", left.error());
    if (!scripts.is_lacking()) TRY(keep(*std::move(left)));
  }
  pop();
  return {};
}

Result<void> Walk::leave_all(Scripts& scripts) {
  while (path_.size() > 1) TRY(leave(scripts));
  cursor_ = {};
  retrace();
  is_leaving_ = false;
  return {};
}

Result<void> Walk::keep(std::vector<StateUpdated> updates) {
  for (StateUpdated& each : updates) {
    TRY(replay(states_, each));
    updates_.push_back(std::move(each));
  }
  return {};
}

// --- loops ---

Result<void> Walk::enter(const Step& loop, Scripts& scripts) {
  note(TraceKind::entered_loop,
       cat("the loop \"", loop.id, "\" starts, with at most ", most_rounds(loop), " rounds"),
       {{TraceRefKind::loop_id, loop.id}});
  auto list = TRY(evaluated_list(loop, scripts));
  push(loop, 0);
  cursor_.frames.back().pinned = std::move(list);
  if (source_of(loop).text != nullptr && !TRY(pin(loop, scripts))) return {};
  if (!is_decidable(loop)) {
    const std::int64_t rounds = rounds_of(loop, cursor_.frames.back());
    if (rounds > most_rounds(loop)) return too_many(loop, rounds);
  }
  return begin_round(scripts);
}

Result<void> Walk::end_of_round(Scripts& scripts) {
  ++cursor_.frames.back().iteration;
  return begin_round(scripts);
}

/// Enters the next round of the innermost frame, or leaves its loop.
Result<void> Walk::begin_round(Scripts& scripts) {
  const Step& loop = *path_.back().owner;
  Frame& frame = cursor_.frames.back();
  const std::optional<bool> goes_on =
      is_decidable(loop) ? TRY(decided(loop, scripts)) : std::optional(counted(loop));
  if (!goes_on) return lacks_decision(loop);
  frame.decision.reset();
  frame.index = 0;
  if (!*goes_on) return exit_loop("it is complete");
  if (frame.iteration >= most_rounds(loop)) return bound_reached(loop);
  return {};
}

/// What the agent said, else what the condition says. A loop that the agent controls begins its
/// first round unasked; nothing when it then has not said anything.
Result<std::optional<bool>> Walk::decided(const Step& loop, Scripts& scripts) {
  const Frame& frame = cursor_.frames.back();
  if (frame.decision) {
    const bool goes_on = *frame.decision == LoopDecision::go_on;
    note_round(loop, cat("the agent decided: ", name_of(*frame.decision)), goes_on);
    return goes_on;
  }
  const bool is_controlled = loop.fields.contains("control");
  if (is_controlled && frame.iteration == 0) return true;
  const Value* condition = loop.fields.find("condition");
  if (condition == nullptr) return is_controlled ? std::nullopt : std::optional(false);
  const bool is_true = TRY(evaluate(*condition, loop, "condition", scripts));
  return is_true != (*text_field(loop, "kind") == "until");
}

bool Walk::counted(const Step& loop) {
  const Frame& frame = cursor_.frames.back();
  const std::int64_t rounds = rounds_of(loop, frame);
  const bool goes_on = frame.iteration < rounds;
  note_round(loop, cat(frame.iteration, " of ", rounds, " rounds are done"), goes_on);
  return goes_on;
}

/// What a loop runs over, as the workflow, the state or the context says it.
Result<std::optional<Value>> Walk::source_value(const Step& loop, Scripts& scripts) {
  const Source source = source_of(loop);
  if (source.text == nullptr) {
    if (const auto evaluated = TRY(evaluated_list(loop, scripts))) return *evaluated;
    const Value* items = loop.fields.find("items");
    const Value* list = items == nullptr ? nullptr : items->find("list");
    return list == nullptr ? std::nullopt : std::optional(*list);
  }
  if (!source.is_script) return scope().get(*source.text);
  auto value = scripts.value(*source.text, scope());
  if (!value) return at_step(loop, runs_over_items(loop) ? "items" : "count", value.error());
  return *std::move(value);
}

/// Keeps what the loop runs over for all its rounds; false when it is not there, which is an
/// obstacle or the loop's end.
Result<bool> Walk::pin(const Step& loop, Scripts& scripts) {
  const Source source = source_of(loop);
  const std::string_view field = runs_over_items(loop) ? "items" : "count";
  const std::optional<Value> found = TRY(source_value(loop, scripts));
  std::optional<Value> kept;
  if (found && runs_over_items(loop) && found->is_array()) {
    kept = found;
  } else if (found && !runs_over_items(loop)) {
    if (const auto count = count_in(*found)) kept = *count;
  }
  if (!kept && states_ != nullptr && !scripts.is_lacking()) {
    return at_step(loop, field,
                   Error::make(Code::STATE_WRONG_TYPE, wanted_rounds(loop, *source.text, found),
                               "let a step before it write that"));
  }
  if (!kept) {
    TRY(lacks_rounds(loop, *source.text, found));
    return false;
  }
  cursor_.frames.back().pinned = std::make_shared<const Value>(*std::move(kept));
  return true;
}

/// A literal list with something in it to evaluate; nullptr for one that stays as
/// it is.
Result<std::shared_ptr<const Value>> Walk::evaluated_list(const Step& loop, Scripts& scripts) {
  const Value* items = loop.fields.find("items");
  const Value* list = items == nullptr ? nullptr : items->find("list");
  if (list == nullptr || !has_expressions(*list)) return nullptr;
  auto found = scripts.rendered(*list, scope());
  if (scripts.is_lacking()) return nullptr;
  if (!found) return at_step(loop, "items", found.error());
  return std::make_shared<const Value>(*std::move(found));
}

Result<void> Walk::lacks_rounds(const Step& loop, const std::string& source,
                                const std::optional<Value>& value) {
  const bool is_missing = !value || value->is_null();
  return lacks(loop,
               {.reason = is_missing ? Reason::missing_required_output : Reason::evaluation_error,
                .pointer = {PointerKind::context_key, source},
                .message = cat("context: ", wanted_rounds(loop, source, value)),
                .fix = cat("send \"", source, "\" in context: ", wanted_by(loop))},
               {});
}

Result<void> Walk::lacks_decision(const Step& loop) {
  const Value control =
      Object{{"kind", "baton.loop_control"}, {"loopId", loop.id}, {"decision", "continue"}};
  return lacks(
      loop,
      {.reason = Reason::missing_required_output,
       .pointer = {PointerKind::output_contract, "loop_control"},
       .message = cat("a round of the loop \"", loop.id,
                      "\" has ended, and no artifact says whether the loop continues"),
       .fix = cat("add the artifact ", json::print(control), ", or the same with \"stop\"")},
      {{notes_key, "<what you did and found in this step>"}, {"artifacts", json::Array{control}}});
}

Result<void> Walk::lacks(const Step& loop, Finding finding, Object example) {
  if (std::ranges::find(given_up_, loop.id) != given_up_.end()) {
    return exit_loop("its items or its decision are missing, and the run continues without it");
  }
  obstacle_ = {loop.id, std::move(finding), std::move(example)};
  return {};
}

Result<void> Walk::exit_loop(std::string_view why) {
  const std::string loop = path_.back().owner->id;
  const std::int64_t rounds = cursor_.frames.back().iteration;
  note(TraceKind::exited_loop, cat("the loop \"", loop, "\" ends after ", rounds, " rounds: ", why),
       {{TraceRefKind::loop_id, loop}, {TraceRefKind::iteration, cat(rounds)}});
  pop();
  ++index();
  return {};
}

/// REQUIRES: the compiler has seen to it that there is a loop around.
Result<void> Walk::leave_to_loop(Scripts& scripts) {
  while (path_.size() > 2 && path_.back().owner->kind != StepKind::loop) TRY(leave(scripts));
  return {};
}

// --- moving, looking, noting ---

void Walk::retrace() {
  path_.clear();
  for (const Level& level : levels_of(*workflow_, cursor_)) {
    path_.push_back({level.owner, level.steps});
  }
}

std::int64_t& Walk::index() {
  return cursor_.frames.empty() ? cursor_.position : cursor_.frames.back().index;
}

void Walk::push(const Step& owner, std::int64_t block) {
  static const std::vector<Step> nothing;
  const auto place = static_cast<std::size_t>(block);
  path_.push_back({&owner, place < owner.blocks.size() ? &owner.blocks[place].steps : &nothing});
  cursor_.frames.push_back({.block = block, .iteration = 0, .index = 0});
}

void Walk::pop() {
  path_.pop_back();
  cursor_.frames.pop_back();
}

FramePlace Walk::place() const { return frame_of(levels_of(*workflow_, cursor_)); }

Scope Walk::scope() const {
  Object variables = variables_at(*workflow_, cursor_, setbacks_);
  if (states_ == nullptr) return {*context_, std::move(variables)};
  return {*context_, std::move(variables), states_.get(), place()};
}

Result<bool> Walk::evaluate(const Value& condition, const Step& step, std::string_view field,
                            Scripts& scripts) {
  const auto held = holds(condition, scope(), scripts);
  if (!held) return at_step(step, field, held.error());
  const bool result = *held;
  std::vector<TraceRef> refs{{TraceRefKind::condition_id, cat(step.id, '.', field)}};
  refs.push_back(
      {step.kind == StepKind::loop ? TraceRefKind::loop_id : TraceRefKind::step_id, step.id});
  if (!cursor_.frames.empty()) {
    refs.push_back({TraceRefKind::iteration, cat(cursor_.frames.back().iteration)});
  }
  note(TraceKind::evaluated_condition,
       cat(step.id, '.', field, ": ", condition_text(condition), " is ", result ? "true" : "false"),
       std::move(refs));
  return result;
}

void Walk::note_round(const Step& loop, std::string_view why, bool goes_on) {
  note(TraceKind::evaluated_condition,
       cat("the loop \"", loop.id, goes_on ? "\" continues: " : "\" ends: ", why),
       {{TraceRefKind::loop_id, loop.id},
        {TraceRefKind::iteration, cat(cursor_.frames.back().iteration)}});
}

void Walk::note(TraceKind kind, std::string_view summary, std::vector<TraceRef> refs) {
  trace_.push_back(
      {kind, utf8::truncate(summary, limits::trace_summary_bytes_max), std::move(refs)});
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
                .items = std::move(items_)};
}

Result<void> note_decisions(const workflow::CompiledWorkflow& workflow, Cursor& cursor,
                            std::span<const LoopControl> controls) {
  if (controls.empty()) return {};
  const std::vector<Level> levels = levels_of(workflow, cursor);
  for (const LoopControl& control : controls) {
    std::size_t depth = levels.size() - 1;
    const auto fits = [&](const Step& loop) {
      return is_decidable(loop) && (control.loop_id.empty() || control.loop_id == loop.id ||
                                    control.loop_id == control_id(loop));
    };
    while (depth > 0 && !fits(*levels[depth].owner)) --depth;
    if (depth > 0) {
      cursor.frames[depth - 1].decision = control.decision;
      continue;
    }
    std::string around;
    for (const Level& level : levels) {
      if (level.owner == nullptr || !is_decidable(*level.owner)) continue;
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
