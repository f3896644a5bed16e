#include "run/graph/frames.h"

#include <algorithm>

#include "base/text/text.h"
#include "run/graph/workflow_inputs.h"
#include "state/render.h"
#include "state/update.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using state::Delta;
using state::Known;
using state::Operation;
using state::Path;
using state::Root;
using state::Write;

const Object& object_in(const Value* value) {
  static const Object nothing;
  const Object* object = value == nullptr ? nullptr : value->if_object();
  return object == nullptr ? nothing : *object;
}

/// A frame with nothing but its inputs, for the expressions of its defaults.
state::Frame with_inputs_only(const Object& inputs) {
  state::Frame frame;
  frame.inputs = state::Tree::from(Value(inputs));
  return frame;
}

Known<Delta> first_delta(const state::StateSchema& schema, const Object& inputs,
                         const state::Frame* global, const UpdateContext& updating) {
  const state::Frame before = with_inputs_only(inputs);
  const state::Scope names(schema, before, global);
  const Value defaults =
      TRY(state::render_all(Value(schema.defaults()), names,
                            state::derived(updating.draw, "defaults"), updating.answers));
  return state::first_state(schema, *defaults.if_object(), inputs, updating.draw, updating.answers,
                            global);
}

/// The frames as they become, and the events that make them so.
class Changes {
 public:
  Changes(const States& states, std::string_view cause, const UpdateContext& updating)
      : states_(states), cause_(cause), updating_(updating) {}

  const state::Frame& frame(const std::string& key) const { return states_.at(key); }
  const state::Frame* global_of(const std::string& key) const {
    return key.empty() ? nullptr : &states_.at("");
  }

  Known<void> write(const FramePlace& place, std::span<const Write> writes) {
    if (writes.empty()) return {};
    const state::StateSchema& schema = updating_.schemas.of_include(place.include);
    return add(place.key,
               TRY(state::apply_writes(schema, frame(place.key), writes, draw_of(place.key),
                                       updating_.answers, global_of(place.key))));
  }

  Known<void> assign(const FramePlace& place, std::vector<state::Assignment> assignments) {
    const state::StateSchema& schema = updating_.schemas.of_include(place.include);
    return add(place.key, TRY(state::apply_assignments(schema, frame(place.key),
                                                       std::move(assignments), draw_of(place.key),
                                                       updating_.answers, global_of(place.key))));
  }

  /// Lets a nested frame see what changed in the root's.
  Known<void> follow(const FramePlace& place) {
    const state::StateSchema& schema = updating_.schemas.of_include(place.include);
    if (place.key.empty() || events_.empty() || !schema.reads_global()) return {};
    const std::vector<Path> changed = state::paths_of(events_.back().delta);
    Delta followed = TRY(state::follow_global(schema, frame(place.key), changed, draw_of(place.key),
                                              updating_.answers, frame("")));
    return followed == Delta() ? Result<void>() : add(place.key, std::move(followed));
  }

  void end(const std::string& key) { events_.back().ended = key; }

  std::vector<StateUpdated> events() && { return std::move(events_); }

 private:
  state::ScriptSeed draw_of(const std::string& key) const {
    return state::derived(updating_.draw, cat("frame ", key));
  }

  Result<void> add(const std::string& key, Delta delta) {
    state::Frame& changed = states_.at(key);
    changed = TRY(state::replayed(changed, delta));
    events_.push_back({{}, {}, key, std::move(delta), std::string(cause_), {}});
    return {};
  }

  States states_;
  std::string_view cause_;
  const UpdateContext& updating_;
  std::vector<StateUpdated> events_;
};

}  // namespace

Known<StateUpdated> first_frame(const workflow::CompiledWorkflow& workflow, const Object& given,
                                const UpdateContext& updating) {
  Object inputs;
  for (const json::Member& each : object_in(workflow.declared.find("inputs"))) {
    if (const Value* value = given.find(each.key)) inputs.set(each.key, *value);
  }
  StateUpdated out{.run = {}, .node = {}, .frame = {}, .delta = {}, .cause = "start", .ended = {}};
  out.delta = TRY(first_delta(updating.schemas.root(), inputs, nullptr, updating));
  return out;
}

Known<StateUpdated> entered_frame(std::string_view id, const workflow::Include& include,
                                  const FramePlace& place, const States& states,
                                  const RunScope& scope, const UpdateContext& updating) {
  static const Object nothing;
  const bool declares = include.frame && include.frame->inputs;
  const Object& declared = declares ? *include.frame->inputs : nothing;
  const Value values =
      TRY(state::render_all(include.inputs, scope.names(&updating.schemas),
                            state::derived(updating.draw, "inputs"), updating.answers));
  Scripts scripts(updating.answers, state::derived(updating.draw, "defaults of inputs"));
  auto inputs =
      checked_inputs(declared, TRY(with_evaluated_defaults(declared, object_in(&values), scripts)));
  if (!inputs) {
    return fail(Code::INVALID_INPUT,
                cat("the inputs of the step \"", id, "\" are not valid: ", inputs.error().message));
  }
  return task_frame(place, states, *inputs, updating);
}

Known<StateUpdated> task_frame(const FramePlace& place, const States& states, const Object& inputs,
                               const UpdateContext& updating) {
  StateUpdated out{
      .run = {}, .node = {}, .frame = place.key, .delta = {}, .cause = place.key, .ended = {}};
  const auto root = states.find("");
  ASSERT(root != states.end());
  out.delta =
      TRY(first_delta(updating.schemas.of_include(place.include), inputs, &root->second, updating));
  return out;
}

Known<std::vector<StateUpdated>> left_frame(const FramePlace& place, const FramePlace& parent,
                                            const States& states, const UpdateContext& updating) {
  Changes changes(states, place.key, updating);
  const Path field{Root::this_frame, {std::string(place.include)}};
  TRY(changes.assign(parent, {{field, changes.frame(place.key).computed.to_json()}}));
  changes.end(place.key);
  return std::move(changes).events();
}

Known<std::vector<Write>> writes_of(const json::Array& updates, const state::Scope& names,
                                    const UpdateContext& updating) {
  std::vector<Write> out;
  bool is_lacking = false;
  for (std::size_t at = 0; at < updates.size(); ++at) {
    const Value& each = updates[at];
    const state::ScriptSeed draw = state::derived(updating.draw, cat("update ", at));
    const Value* path_text = each.find("path");
    const Value* value = each.find("value");
    const Value* operation = each.find("operation");
    if (path_text == nullptr || path_text->if_string() == nullptr) continue;
    auto path = state::render_path(*path_text->if_string(), names, draw, updating.answers);
    auto rendered =
        state::render_all(value == nullptr ? Value() : *value, names, draw, updating.answers);
    is_lacking = is_lacking || is_not_yet(path) || is_not_yet(rendered);
    if (is_lacking) continue;
    const auto known = operation == nullptr || operation->if_string() == nullptr
                           ? Operation::set
                           : state::operation_of(*operation->if_string()).value_or(Operation::set);
    Write write{TRY(std::move(path)), known, {}};
    write.value = TRY(std::move(rendered));
    out.push_back(std::move(write));
  }
  if (is_lacking) return state::not_yet();
  return out;
}

std::vector<Write> writes_of(const StepNote& note, const Schemas& schemas) {
  std::vector<Write> out;
  const auto& declared = schemas.root().names(Root::raw);
  const auto add = [&](std::vector<std::string> segments, Operation operation, Value value) {
    if (declared.contains(segments[0])) {
      out.push_back({{Root::raw, std::move(segments)}, operation, std::move(value)});
    }
  };
  if (note.kind == StepNote::Kind::completed) {
    add({"steps_completed"}, Operation::append, note.error.step);
    return out;
  }
  const Value error = to_json(note.error);
  if (note.kind == StepNote::Kind::retried) {
    add({"retry_counts", note.error.step}, Operation::increment, 1);
  } else {
    add({"steps_failed"}, Operation::append, note.error.step);
    add({"workflow_errors"}, Operation::append, error);
  }
  add({"last_error"}, Operation::set, error);
  return out;
}

void keep_task_writes(std::span<const BlockLevel> levels, std::span<const Write> writes,
                      std::vector<StateUpdated>& updates) {
  const std::span<const BlockLevel> around = around_task(levels);
  if (around.empty() || updates.empty()) return;
  const bool is_outside = frame_of(around).key == frame_of(levels).key;
  for (const Write& each : writes) {
    if (is_outside || each.path.root == Root::global) updates.front().writes.push_back(each);
  }
}

Delta delta_of(const state::Frame& frame) {
  Delta out;
  const auto add = [&](Root root, const state::Tree& tier) {
    for (std::size_t at = 0; at < tier.size(); ++at) {
      out.sets.push_back({{root, {std::string(tier.key_at(at))}}, tier.at(at)->to_json()});
    }
  };
  add(Root::inputs, frame.inputs);
  add(Root::raw, frame.raw);
  add(Root::state, frame.state);
  add(Root::this_frame, frame.included);
  for (std::size_t at = 0; at < frame.computed.size(); ++at) {
    out.computed.push_back({.field = std::string(frame.computed.key_at(at)),
                            .output = frame.computed.at(at)->to_json(),
                            .outcome = state::ComputeOutcome::computed,
                            .problem = {},
                            .trigger = "start",
                            .elapsed_us = 0});
  }
  return out;
}

Known<std::vector<StateUpdated>> updated_frames(const FramePlace& place, const States& states,
                                                std::span<const Write> writes,
                                                std::span<const Write> noted,
                                                std::string_view cause,
                                                const UpdateContext& updating) {
  std::vector<Write> of_root(noted.begin(), noted.end());
  std::vector<Write> own;
  for (const Write& each : writes) {
    const bool goes_to_root = place.key.empty() || each.path.root == Root::global;
    (goes_to_root ? of_root : own).push_back(each);
  }
  // What the step wrote comes before what is noted of it.
  if (!noted.empty()) {
    std::rotate(of_root.begin(), of_root.begin() + static_cast<std::ptrdiff_t>(noted.size()),
                of_root.end());
  }
  Changes changes(states, cause, updating);
  const auto written = changes.write({}, of_root);
  if (is_not_yet(written)) {
    static_cast<void>(changes.write(place, own));  // what that needs is asked for at once
    return state::not_yet();
  }
  TRY(written);
  TRY(changes.follow(place));
  TRY(changes.write(place, own));
  return std::move(changes).events();
}

}  // namespace baton::run
