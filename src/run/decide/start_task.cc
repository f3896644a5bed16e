#include "run/decide/start_task.h"

#include "base/text/text.h"
#include "run/decide/append_events.h"
#include "run/graph/frames.h"
#include "run/graph/workflow_inputs.h"
#include "state/render.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;

const Object& object_in(const Value* owner, std::string_view key) {
  static const Object nothing;
  const Value* found = owner == nullptr ? nullptr : owner->find(key);
  const Object* object = found == nullptr ? nullptr : found->if_object();
  return object == nullptr ? nothing : *object;
}

/// The inputs of a task: what its context names so, members of its item, names of its place such as
/// `index`, their defaults, and the item itself for the one input that has none of these, or that
/// alone of them is required.
Result<Object> inputs_of(const Object& declared, const Object& defaults, const Object& context,
                         const Value& item, const Object& place) {
  Object given;
  Object checked = declared;
  std::vector<std::string> unbound;
  std::vector<std::string> optional;
  for (const json::Member& each : declared) {
    const Value* own = item.find(each.key);
    if (const Value* named = context.find(each.key)) {
      given.set(each.key, *named);
    } else if (own != nullptr) {
      given.set(each.key, *own);
    } else if (const Value* fallback = defaults.find(each.key)) {
      given.set(each.key, *fallback);
    } else if (const Value* found = place.find(each.key)) {
      given.set(each.key, *found);
    } else {
      const Value* required = each.value.find("required");
      const bool may_lack = required != nullptr && *required == Value(false);
      (may_lack ? optional : unbound).push_back(each.key);
    }
    // The value of an expression keeps its type.
    const Value* fallback = each.value.find("default");
    if (fallback != nullptr && has_expressions(*fallback)) checked.set(each.key, Object());
  }
  if (unbound.empty()) unbound = std::move(optional);
  if (unbound.size() == 1) given.set(unbound.front(), item);
  return checked_inputs(checked, given);
}

}  // namespace

StartTaskDecision::StartTaskDecision(TaskCommand command, const FreshValues& draw)
    : FirstStepDecision(command, draw), command_(std::move(command)) {}

/// The run is before the first step of its task.
void StartTaskDecision::settle() {
  const NodeState& parent = command_.parent;
  const std::size_t item = read_task_id(command_.task.task)->item;
  const json::Array& items = *parent.items->if_array();
  state_ = {};
  state_.session = command_.ids.session;
  state_.run = command_.ids.run;
  state_.node = command_.ids.node;
  state_.workflow_id = workflow().id;
  state_.workflow_hash = command_.workflow->hash;
  state_.workflow_form = form_in_log();
  state_.task = command_.task;
  for (const auto& [key, value] : command_.observed) {
    if (key == ObservationKey::workspace_path) state_.workspace = value;
  }
  state_.cursor = parent.cursor;
  state_.cursor.frames.push_back(
      {.block = 0,
       .iteration = static_cast<std::int64_t>(item),
       .index = 0,
       .decision = {},
       .pinned = std::make_shared<const Value>(
           Object{{"item", items[item]}, {"total", static_cast<std::int64_t>(items.size())}})});
  facts_.clear();
}

Known<StartTaskDecision::Declared> StartTaskDecision::declared(
    state::ScriptAnswers& answers) const {
  const NodeState& parent = command_.parent;
  const workflow::Step* step = step_at(workflow(), parent.cursor);
  const Value* task = step == nullptr ? nullptr : workflow::task_of(workflow(), *step);
  const Object& inputs = object_in(task, "inputs");
  Object defaults;
  for (const json::Member& each : inputs) {
    if (const Value* fallback = each.value.find("default")) defaults.set(each.key, *fallback);
  }
  const Value templates = Object{{"context", object_in(task, "context")}, {"defaults", defaults}};
  const RunScope scope =
      RunScope(*parent.context, loop_variables(workflow(), state_.cursor), parent.states.get(),
               frame_of(levels_of(workflow(), parent.cursor)))
          .with_spare_names(spare_names(workflow(), state_.cursor, command_.task.run));
  const Value values = TRY(state::render_all(templates, scope.names(command_.schemas),
                                             draw_of_act(draw_.drawn, 0), answers));
  Declared out;
  out.context = object_in(&values, "context");
  out.inputs = TRY(inputs_of(inputs, object_in(&values, "defaults"), out.context,
                             *state_.cursor.frames.back().pinned->find("item"),
                             loop_variables(workflow(), state_.cursor)));
  return out;
}

Known<void> StartTaskDecision::begin(state::ScriptAnswers& answers) {
  settle();
  auto found = declared(answers);
  auto taken = found ? take_over(*found, answers) : std::unexpected(found.error());
  if (!taken) {
    if (Error* error = taken.error().if_error()) {
      error->message = cat("the task \"", command_.task.task, "\" cannot begin: ", error->message);
    }
    return std::unexpected(std::move(taken).error());
  }
  answers.forget();
  walk_ = Walk::into_task(workflow(), command_.schemas, state_);
  return {};
}

/// What holds where the step is pending holds for the task; it has the frames that it can see.
Known<void> StartTaskDecision::take_over(const Declared& declared, state::ScriptAnswers& answers) {
  const NodeState& parent = command_.parent;
  Object context = *parent.context;
  for (const json::Member& each : declared.context) context.set(each.key, each.value);
  if (parent.states == nullptr) {
    for (const json::Member& each : declared.inputs) context.set(each.key, each.value);
  }
  TRY(append_settings(facts_, state_, context, ContextSource::initial,
                      {parent.preferences.autonomy, parent.preferences.risk_policy}));
  for (const auto& [capability, known] : parent.known().capabilities) {
    append_fact(facts_, state_,
                CapabilityObserved{
                    state_.run, state_.node, capability, known.status, known.provenance, {}, {}});
  }
  if (parent.states == nullptr) return {};
  const std::vector<BlockLevel> levels = levels_of(workflow(), state_.cursor);
  const std::string outside = frame_of(around_task(levels)).key;
  const FramePlace own = frame_of(levels);
  const bool is_apart = own.key != outside;
  for (const std::string& key :
       outside.empty() ? std::vector<std::string>{""} : std::vector<std::string>{"", outside}) {
    state::Frame frame = parent.states->at(key);
    if (key == outside && !is_apart) {
      for (const json::Member& each : declared.inputs) {
        frame.inputs = frame.inputs.with_member(each.key, state::Tree::from(each.value));
      }
    }
    TRY(append_update(facts_, state_,
                      {.run = {},
                       .node = {},
                       .frame = key,
                       .delta = delta_of(frame),
                       .cause = "start",
                       .ended = {}}));
  }
  if (!is_apart) return {};
  const UpdateContext updating{*command_.schemas, draw_of_act(draw_.drawn, 0), answers};
  return append_update(facts_, state_,
                       TRY(task_frame(own, *state_.states, declared.inputs, updating)));
}

Error StartTaskDecision::obstructed(const MissingLoopInput& obstacle) const {
  return Error::make(
      Code::INVALID_INPUT,
      cat("the task \"", command_.task.task, "\" cannot begin: ", obstacle.finding.message),
      obstacle.finding.fix);
}

RunStarted StartTaskDecision::started() const {
  return {state_.run, workflow().id, command_.workflow->hash, {}, command_.task, form_in_log()};
}

}  // namespace baton::run
