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
  explicit Explanation(const json::Object& inputs) : inputs_(inputs) {}

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
    if (value == nullptr || !value->is_array()) return std::nullopt;
    return std::ssize(*value->if_array());
  }

  void add_tool(std::string_view name) {
    if (!name.empty() && std::ranges::count(plan.tools, name) == 0) plan.tools.emplace_back(name);
  }

  const json::Object& inputs_;
};

}  // namespace

ExplainedPlan explain(const workflow::CompiledWorkflow& workflow, const json::Object& inputs) {
  Explanation explanation(inputs);
  explanation.block(workflow.steps, {});
  explanation.block(workflow.on_failure, {"the run fails"});
  const Value* minutes = workflow.declared.find("estimated_duration_minutes");
  if (minutes != nullptr && minutes->is_number()) explanation.plan.minutes = minutes->as_double();
  return std::move(explanation.plan);
}

}  // namespace baton::run
