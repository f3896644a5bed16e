#include "run/walk.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "run/condition.h"
#include "run/scope.h"

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

/// Moves a cursor. Each level of `path_` but the outermost belongs to a frame of the cursor.
class Walker {
 public:
  Walker(const workflow::CompiledWorkflow& workflow, Cursor cursor, const Object& context,
         std::span<const std::string> given_up)
      : workflow_(workflow), cursor_(std::move(cursor)), context_(context), given_up_(given_up) {
    for (const Level& level : levels_of(workflow_, cursor_)) {
      path_.push_back({level.owner, level.steps});
    }
  }

  bool is_whole() const { return path_.size() == cursor_.frames.size() + 1; }

  void step_over() { ++index(); }

  Result<Walked> walk() {
    for (std::size_t rounds = 0; rounds <= limits::walk_rounds_max; ++rounds) {
      const std::vector<Step>& steps = *path_.back().steps;
      const auto at = static_cast<std::size_t>(index());
      if (at < steps.size()) {
        TRY(visit(steps[at]));
      } else if (path_.size() > 1) {
        TRY(end_of_block());
      } else {
        found_ = true;
      }
      if (found_ || obstacle_) return finish();
    }
    return fail(Code::LIMIT_EXCEEDED,
                cat("after ", limits::walk_rounds_max,
                    " steps that need nobody's work no step was found that does"),
                "send context that ends the loop, or a loop_control artifact with decision stop");
  }

 private:
  struct Inside {
    const Step* owner;
    const std::vector<Step>* steps;
  };

  std::int64_t& index() {
    return cursor_.frames.empty() ? cursor_.position : cursor_.frames.back().index;
  }

  Result<void> visit(const Step& step) {
    if (const Value* when = step.fields.find("runCondition")) {
      if (!evaluate(*when, step, "runCondition")) {
        ++index();
        return {};
      }
    }
    switch (step.kind) {
      case StepKind::conditional: return branch(step);
      case StepKind::loop: return enter(step);
      case StepKind::break_loop:
        leave_to_loop();
        return exit_loop(cat("left by the step \"", step.id, '"'));
      case StepKind::continue_loop: leave_to_loop(); return end_of_round();
      case StepKind::exit:
        note(TraceKind::selected_next_step, cat("the run ends at the step \"", step.id, '"'),
             {{TraceRefKind::step_id, step.id}});
        while (path_.size() > 1) pop();
        cursor_.position = static_cast<std::int64_t>(workflow_.steps.size());
        found_ = true;
        return {};
      default: found_ = true; return {};
    }
  }

  Result<void> branch(const Step& step) {
    const Value* condition = step.fields.find("condition");
    const bool is_true = condition != nullptr && evaluate(*condition, step, "condition");
    const auto block =
        std::ranges::find(step.blocks, is_true ? "then" : "else", &workflow::Block::name);
    if (block == step.blocks.end()) {
      ++index();
    } else {
      push(step, block - step.blocks.begin());
    }
    return {};
  }

  Result<void> end_of_block() {
    if (path_.back().owner->kind == StepKind::loop) return end_of_round();
    pop();
    ++index();
    return {};
  }

  // --- loops ---

  Result<void> enter(const Step& loop) {
    note(TraceKind::entered_loop,
         cat("the loop \"", loop.id, "\" begins, with at most ", most_rounds(loop), " rounds"),
         {{TraceRefKind::loop_id, loop.id}});
    push(loop, 0);
    if (const Value* path = path_of(loop)) {
      if (!pin(loop, *path->if_string())) return lacks_rounds(loop, *path->if_string());
    }
    if (!is_decidable(loop)) {
      const std::int64_t rounds = rounds_of(loop, cursor_.frames.back());
      if (rounds > most_rounds(loop)) return too_many(loop, rounds);
    }
    return begin_round();
  }

  Result<void> end_of_round() {
    ++cursor_.frames.back().iteration;
    return begin_round();
  }

  /// Goes into the round that the innermost frame stands before, or leaves its loop.
  Result<void> begin_round() {
    const Step& loop = *path_.back().owner;
    Frame& frame = cursor_.frames.back();
    const auto goes_on = is_decidable(loop) ? decided(loop) : counted(loop);
    if (!goes_on) return lacks_decision(loop);
    frame.decision.reset();
    frame.index = 0;
    if (!*goes_on) return exit_loop("it has come to its end");
    if (frame.iteration >= most_rounds(loop)) return bound_reached(loop);
    return {};
  }

  /// What the agent said, else what the context says. A loop that the agent controls begins its
  /// first round unasked; nothing when it then has not said anything.
  std::optional<bool> decided(const Step& loop) {
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
    const bool is_true = evaluate(*condition, loop, "condition");
    return is_true != (*text_field(loop, "kind") == "until");
  }

  std::optional<bool> counted(const Step& loop) {
    const Frame& frame = cursor_.frames.back();
    const std::int64_t rounds = rounds_of(loop, frame);
    const bool goes_on = frame.iteration < rounds;
    note_round(loop, cat(frame.iteration, " of ", rounds, " rounds are done"), goes_on);
    return goes_on;
  }

  /// Where the context says what the loop runs over; nullptr when the workflow does.
  static const Value* path_of(const Step& loop) {
    const Value* source = loop.fields.find(runs_over_items(loop) ? "items" : "count");
    if (is_decidable(loop) || source == nullptr) return nullptr;
    const Value* path = source->find("var");
    if (path == nullptr) path = source->find("js");
    return path != nullptr && path->is_string() ? path : nullptr;
  }

  /// Keeps what the loop runs over for all its rounds; false when it is not there.
  bool pin(const Step& loop, std::string_view path) {
    auto value = scope().get(path);
    if (!runs_over_items(loop)) {
      const auto count = count_in(value);
      value = count ? std::optional<Value>(*count) : std::nullopt;
    } else if (value && !value->is_array()) {
      value.reset();
    }
    if (!value) return false;
    cursor_.frames.back().pinned = std::make_shared<const Value>(*std::move(value));
    return true;
  }

  /// A number of rounds, also as a text; nothing for anything else.
  static std::optional<std::int64_t> count_in(const std::optional<Value>& value) {
    if (!value) return std::nullopt;
    std::optional<std::int64_t> count;
    if (const std::int64_t* number = value->if_int()) count = *number;
    if (const std::string* text = value->if_string()) count = parse_int(*text);
    return count && *count >= 0 ? count : std::nullopt;
  }

  Result<void> lacks_rounds(const Step& loop, const std::string& path) {
    const auto value = scope().get(path);
    const bool is_missing = !value || value->is_null();
    const std::string_view wanted =
        runs_over_items(loop) ? "a list" : "a whole number that is not negative";
    return lacks(
        loop,
        {.reason = is_missing ? Reason::missing_required_output : Reason::evaluation_error,
         .pointer = {PointerKind::context_key, path},
         .message = cat(
             "context: the loop \"", loop.id, "\" needs ", wanted, " at \"", path, "\", which is ",
             is_missing ? std::string("not set") : cat("of type ", json::name_of(value->type()))),
         .fix = cat("send \"", path, "\" in context: ", wanted)},
        {});
  }

  Result<void> lacks_decision(const Step& loop) {
    const Value control =
        Object{{"kind", "baton.loop_control"}, {"loopId", loop.id}, {"decision", "continue"}};
    return lacks(
        loop,
        {.reason = Reason::missing_required_output,
         .pointer = {PointerKind::output_contract, "loop_control"},
         .message = cat("a round of the loop \"", loop.id,
                        "\" has ended, and nothing was handed in that says whether it goes on"),
         .fix =
             cat("add to output.artifacts ", json::print(control), ", or the same with \"stop\"")},
        {{"notesMarkdown", "<what you did and found in this step>"},
         {"artifacts", json::Array{control}}});
  }

  Result<void> lacks(const Step& loop, Finding finding, Object example) {
    if (std::ranges::find(given_up_, loop.id) != given_up_.end()) {
      return exit_loop("it lacks what it runs by, and the run goes on without it");
    }
    obstacle_ = {loop.id, std::move(finding), std::move(example)};
    return {};
  }

  static std::unexpected<Error> too_many(const Step& loop, std::int64_t rounds) {
    return fail(Code::LOOP_BOUND_REACHED,
                cat("the loop \"", loop.id, "\" would have ", rounds, " rounds; at most ",
                    most_rounds(loop), " are allowed; nothing was recorded"),
                "send the same call again with context that asks for fewer");
  }

  static std::unexpected<Error> bound_reached(const Step& loop) {
    return fail(Code::LOOP_BOUND_REACHED,
                cat("the loop \"", loop.id, "\" has had its ", most_rounds(loop),
                    " rounds and would go on; nothing was recorded"),
                cat("send the same call again with context that ends the loop, or with the "
                    "artifact {\"kind\":\"baton.loop_control\",\"loopId\":\"",
                    loop.id, "\",\"decision\":\"stop\"}"));
  }

  Result<void> exit_loop(std::string_view why) {
    const std::string loop = path_.back().owner->id;
    const std::int64_t rounds = cursor_.frames.back().iteration;
    note(TraceKind::exited_loop,
         cat("the loop \"", loop, "\" is left after ", rounds, " rounds: ", why),
         {{TraceRefKind::loop_id, loop}, {TraceRefKind::iteration, cat(rounds)}});
    pop();
    ++index();
    return {};
  }

  /// REQUIRES: the compiler has seen to it that there is a loop around.
  void leave_to_loop() {
    while (path_.size() > 2 && path_.back().owner->kind != StepKind::loop) pop();
  }

  // --- moving, looking, noting ---

  void push(const Step& owner, std::int64_t block) {
    static const std::vector<Step> nothing;
    const auto place = static_cast<std::size_t>(block);
    path_.push_back({&owner, place < owner.blocks.size() ? &owner.blocks[place].steps : &nothing});
    cursor_.frames.push_back({.block = block, .iteration = 0, .index = 0});
  }

  void pop() {
    path_.pop_back();
    cursor_.frames.pop_back();
  }

  Scope scope() const { return {context_, loop_variables(workflow_, cursor_)}; }

  bool evaluate(const Value& condition, const Step& step, std::string_view field) {
    const bool result = holds(condition, scope());
    std::vector<TraceRef> refs{{TraceRefKind::condition_id, cat(step.id, '.', field)}};
    refs.push_back(
        {step.kind == StepKind::loop ? TraceRefKind::loop_id : TraceRefKind::step_id, step.id});
    if (!cursor_.frames.empty()) {
      refs.push_back({TraceRefKind::iteration, cat(cursor_.frames.back().iteration)});
    }
    note(TraceKind::evaluated_condition,
         cat(step.id, '.', field, ": ", condition_text(condition), " is ",
             result ? "true" : "false"),
         std::move(refs));
    return result;
  }

  void note_round(const Step& loop, std::string_view why, bool goes_on) {
    note(TraceKind::evaluated_condition,
         cat("the loop \"", loop.id, goes_on ? "\" goes on: " : "\" ends: ", why),
         {{TraceRefKind::loop_id, loop.id},
          {TraceRefKind::iteration, cat(cursor_.frames.back().iteration)}});
  }

  void note(TraceKind kind, std::string_view summary, std::vector<TraceRef> refs) {
    trace_.push_back(
        {kind, utf8::truncate(summary, limits::trace_summary_bytes_max), std::move(refs)});
  }

  Result<Walked> finish() {
    if (obstacle_) return Walked{{}, {}, std::move(obstacle_)};
    const bool ended_by_step =
        !trace_.empty() && trace_.back().kind == TraceKind::selected_next_step;
    if (!trace_.empty() && !ended_by_step) {
      const bool is_complete = step_at(workflow_, cursor_) == nullptr;
      if (is_complete) {
        note(TraceKind::selected_next_step, "no step is left: the run is complete", {});
      } else {
        const std::string key = key_at(workflow_, cursor_);
        note(TraceKind::selected_next_step, cat("the next step is ", key),
             {{TraceRefKind::step_id, key}});
      }
    }
    return Walked{std::move(cursor_), std::move(trace_), {}};
  }

  const workflow::CompiledWorkflow& workflow_;
  Cursor cursor_;
  const Object& context_;
  std::vector<Inside> path_;
  std::span<const std::string> given_up_;
  std::vector<TraceEntry> trace_;
  std::optional<Obstacle> obstacle_;
  bool found_ = false;
};

std::size_t bytes_of(const TraceEntry& entry) {
  std::size_t bytes = entry.summary.size();
  for (const TraceRef& ref : entry.refs) bytes += ref.value.size();
  return bytes;
}

}  // namespace

Result<Walked> first_step(const workflow::CompiledWorkflow& workflow, const Object& context) {
  Walked walked = TRY(Walker(workflow, {}, context, {}).walk());
  if (walked.obstacle) {
    return fail(Code::INVALID_INPUT, cat(walked.obstacle->finding.message, "; nothing was started"),
                cat("call start_workflow again: ", walked.obstacle->finding.fix));
  }
  return walked;
}

Result<Walked> next_step(const workflow::CompiledWorkflow& workflow, Cursor cursor,
                         const Object& context, std::span<const std::string> given_up) {
  Walker walker(workflow, std::move(cursor), context, given_up);
  if (!walker.is_whole()) {
    return fail(Code::STORE_CORRUPT, "a node stands at a step that its workflow does not have");
  }
  walker.step_over();
  return walker.walk();
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
                cat("output.artifacts: the loop_control artifact ",
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
