#include "run/show/explain.h"

#include <algorithm>

#include "base/text/text.h"
#include "run/steps/behaviour.h"
#include "run/steps/rounds.h"
#include "run/walk/condition.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::Step;

class Explanation {
 public:
  Explanation(const workflow::CompiledWorkflow& workflow, const json::Object& inputs)
      : workflow_(workflow), inputs_(inputs) {}

  void block(const std::vector<Step>& steps, const std::vector<std::string>& conditions) {
    for (const Step& step : steps) one(step, conditions);
  }

  ExplainedPlan plan;

 private:
  void one(const Step& step, std::vector<std::string> conditions) {
    if (step.run_condition) conditions.push_back(condition_text(*step.run_condition));
    ExplainedStep out{step.id, step.kind(), step.title, conditions, step.dependencies, {}};
    const StepBehaviour& behaviour = behaviour_of(step);
    if (behaviour.is_for_sub_agents) out.sub_agents = item_count(behaviour.items(step));
    if (behaviour.tool != nullptr) add_tool(behaviour.tool(step));
    plan.steps.push_back(std::move(out));
    if (behaviour.is_for_sub_agents) tools_of(workflow::blocks_of(workflow_, step));
    for (const workflow::Block& inner : step.blocks) {
      std::vector<std::string> within = conditions;
      if (behaviour.block_condition != nullptr) {
        within.push_back(behaviour.block_condition(step, inner.name));
      }
      block(inner.steps, within);
    }
  }

  std::optional<std::int64_t> item_count(const Value* items) const {
    if (items == nullptr) return std::nullopt;
    if (const Value* list = items->find("list"); list != nullptr && list->is_array()) {
      return std::ssize(*list->if_array());
    }
    std::string name = source_text(*items);
    if (name.starts_with("inputs.")) name.erase(0, std::string_view("inputs.").size());
    const Value* value = inputs_.find(name);
    if (value == nullptr) value = first_value(name);
    if (value == nullptr || !value->is_array()) return std::nullopt;
    return std::ssize(*value->if_array());
  }

  void add_tool(std::string_view name) {
    if (!name.empty() && std::ranges::count(plan.tools, name) == 0) plan.tools.emplace_back(name);
  }

  /// What sub-agents need: their steps are not those of this run.
  void tools_of(const std::vector<workflow::Block>& blocks) {
    for (const workflow::Block& block : blocks) {
      for (const Step& step : block.steps) {
        const StepBehaviour& behaviour = behaviour_of(step);
        if (behaviour.tool != nullptr) add_tool(behaviour.tool(step));
        if (!behaviour.is_for_sub_agents) tools_of(step.blocks);
      }
    }
  }

  /// The list that a field begins with: how many there will be, unless a step changes it first.
  const Value* first_value(std::string_view name) const {
    const Value* state = workflow_.declared.find("state");
    const Value* defaults = state == nullptr ? nullptr : state->find("defaults");
    if (defaults == nullptr) return nullptr;
    for (const std::string_view tier : {"raw", "state"}) {
      const Value* fields = defaults->find(tier);
      if (fields == nullptr) continue;
      const std::string prefix = cat(tier, '.');
      const Value* found =
          fields->find(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
      if (found != nullptr) return found;
    }
    return nullptr;
  }

  const workflow::CompiledWorkflow& workflow_;
  const json::Object& inputs_;
};

}  // namespace

ExplainedPlan explain(const workflow::CompiledWorkflow& workflow, const json::Object& inputs) {
  Explanation explanation(workflow, inputs);
  explanation.block(workflow.steps, {});
  explanation.block(workflow.on_failure, {"the run fails"});
  const Value* minutes = workflow.declared.find("estimated_duration_minutes");
  if (minutes != nullptr && minutes->is_number()) explanation.plan.minutes = minutes->as_double();
  return std::move(explanation.plan);
}

}  // namespace baton::run
