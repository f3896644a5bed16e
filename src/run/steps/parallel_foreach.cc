#include "run/steps/parallel_foreach.h"

#include "base/text/text.h"
#include "run/show/prompt_values.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"
#include "run/steps/rounds.h"
#include "run/walk/condition.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::ParallelForeach;
using workflow::Step;

std::string lines_of(const Object& definition) {
  std::string out;
  for (const json::Value& each : *definition.find("tasks")->if_array()) {
    out += cat("- ", *each.find("task_id")->if_string(), ": ",
               json::print(*each.find("context")->find("item")), '\n');
  }
  if (const json::Value* left_out = definition.find("tasks_left_out")) {
    out += cat("- and ", *left_out->if_int(), " more, numbered up to item",
               *definition.find("total")->if_int() - 1, '\n');
  }
  return out;
}

// --- how the walk passes it ---

/// Whether an item is a delegation whose own condition keeps every step of it from being done.
Known<bool> is_left_out(const WalkMoves& walk, const Step& step, const Value& item,
                        Scripts& scripts) {
  if (item.find("delegation") == nullptr || step.blocks.empty()) return false;
  const RunScope scope = walk.scope_with(Object{{"item", item}});
  for (const Step& each : step.blocks.front().steps) {
    if (!each.run_condition || TRY(holds(*each.run_condition, scope, scripts))) return false;
  }
  return true;
}

/// The items without the delegations that are left out.
Known<Value> handed_out(const WalkMoves& walk, const Step& step, Value items, Scripts& scripts) {
  json::Array out;
  for (Value& each : *items.if_array()) {
    if (!TRY(is_left_out(walk, step, each, scripts))) out.push_back(std::move(each));
  }
  return Value(std::move(out));
}

/// Stops before the step with its items known; a step without items is skipped.
Known<void> visit(WalkMoves& walk, const Step& step, Scripts& scripts) {
  const RoundSource source = items_source(step.as<ParallelForeach>()->items.get());
  std::optional<Value> found = TRY(value_of_source(source, walk, step, scripts));
  if (found && found->is_array() && found->if_array()->size() <= limits::parallel_tasks_max) {
    found = TRY(handed_out(walk, step, *std::move(found), scripts));
  }
  const json::Array* items = found ? found->if_array() : nullptr;
  if (items == nullptr) {
    if (walk.states() != nullptr) return wrong_rounds(source, step, found);
    if (!walk.is_given_up(step.id)) {
      walk.meet({step.id, missing_rounds(source, step, found), {}});
      return {};
    }
  } else if (items->size() > limits::parallel_tasks_max) {
    return at_step(step, "items",
                   Error::make(Code::LIMIT_EXCEEDED,
                               cat(items->size(), " items; at most ", limits::parallel_tasks_max,
                                   " are allowed"),
                               "split them over several steps, or give several to each sub-agent"));
  } else if (!items->empty()) {
    walk.stop(std::make_shared<const Value>(*std::move(found)));
    return {};
  }
  walk.note(TraceKind::evaluated_condition,
            cat("the step \"", step.id, "\" has no items: it is passed"),
            {{TraceRefKind::step_id, step.id}});
  walk.pass();
  return {};
}

/// The run carries out a task, and that is done.
Known<void> end_block(WalkMoves& walk, Scripts&) {
  walk.end_run();
  return {};
}

/// What a task sees of its item: the frame has that item alone, and how many there are.
void add_variables(Object& out, const Step&, const CursorFrame& frame, const std::string& key) {
  const auto item = static_cast<std::size_t>(frame.iteration);
  const Value* own = frame.pinned == nullptr ? nullptr : frame.pinned->find("item");
  const Value* total = frame.pinned == nullptr ? nullptr : frame.pinned->find("total");
  out.set("loop", Object{{"iteration", frame.iteration + 1},
                         {"item", own == nullptr ? Value() : *own},
                         {"index", frame.iteration}});
  out.set("item", own == nullptr ? Value() : *own);
  out.set("index", frame.iteration);
  out.set("total", total == nullptr ? Value() : *total);
  out.set("task_id", task_id(key, item));
  out.set("parent_step_id", key);
}

}  // namespace

StepBehaviour behaviour_of(std::type_identity<ParallelForeach>) {
  return {.is_for_sub_agents = true,
          .has_report = false,
          .may_fail = true,
          .may_write = true,
          .visit = visit,
          .end_block = end_block,
          .has_rounds = true,
          .items = [](const Step& step) { return step.as<ParallelForeach>()->items.get(); },
          .has_frame = is_isolated,
          .add_variables = add_variables};
}

bool is_task_step(const Pending& pending) {
  return behaviour_of(pending.kind).is_for_sub_agents && pending.definition.contains("tasks");
}

TaskStep task_step(const Pending& pending) {
  const Object& definition = pending.definition;
  TaskStep out{.total = *definition.find("total")->if_int(),
               .max_parallel = *definition.find("max_parallel")->if_int(),
               .wait_for_all = *definition.find("wait_for_all")->if_bool(),
               .prompt = {},
               .list = lines_of(definition)};
  if (const json::Value* prompt = definition.find("sub_agent_prompt")) {
    out.prompt = *prompt->if_string();
  }
  return out;
}

TaskList list_tasks(const json::Array& items, std::string_view step_key, const RunId& run,
                    std::size_t bytes_max, const std::function<bool(std::size_t)>& is_meant) {
  TaskList out;
  std::size_t bytes = 0;
  for (std::size_t item = 0; item < items.size(); ++item) {
    if (!is_meant(item)) continue;
    Object each{{"task_id", task_id(step_key, item)},
                {"context", Object{{"item", items[item]},
                                   {"index", static_cast<std::int64_t>(item)},
                                   {"total", static_cast<std::int64_t>(items.size())},
                                   {"workflow_id", run.text()}}}};
    if (out.left_out == 0) bytes += json::print(each).size();
    if (out.left_out > 0 || (bytes > bytes_max && !out.tasks.empty())) {
      ++out.left_out;
    } else {
      out.tasks.emplace_back(std::move(each));
    }
  }
  return out;
}

void show_tasks(const workflow::CompiledWorkflow& workflow, const Step& step,
                const NodeState& state, Scripts& scripts, Pending& pending) {
  const TaskPolicy policy = task_policy(step);
  const json::Array& items = *state.items->if_array();
  TaskList list = list_tasks(items, pending.step_id, state.run, limits::tasks_shown_bytes_max,
                             [](std::size_t) { return true; });
  pending.kind = workflow::StepKind::parallel_foreach;
  pending.definition = Object{{"total", static_cast<std::int64_t>(items.size())},
                              {"max_parallel", policy.max_parallel},
                              {"wait_for_all", policy.wait_for_all}};
  if (policy.prompt) {
    pending.definition.set("sub_agent_prompt",
                           with_values(*policy.prompt, scope_at(workflow, state), scripts));
  }
  if (policy.timeout_ms) pending.definition.set("timeout_ms", *policy.timeout_ms);
  if (list.left_out > 0) {
    pending.definition.set("tasks_left_out", static_cast<std::int64_t>(list.left_out));
  }
  pending.definition.set("tasks", std::move(list.tasks));
  pending.prompt = cat("Sub-agents do this step: ", items.size(),
                       items.size() == 1 ? " task" : " tasks", ", at most ", policy.max_parallel,
                       " at the same time.\n\nTasks:\n", lines_of(pending.definition));
}

}  // namespace baton::run
