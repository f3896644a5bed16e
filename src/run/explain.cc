#include "run/explain.h"

#include <algorithm>

#include "base/text/text.h"
#include "run/condition.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::Step;
using workflow::StepKind;

std::string_view text_of(const Step& step, std::string_view key) {
  const Value* found = step.fields.find(key);
  return found != nullptr && found->is_string() ? std::string_view(*found->if_string()) : "";
}

/// What a list or a count is taken from: a path, code, or the list itself.
std::string source_text(const Value& source) {
  for (const std::string_view key : {"var", "js"}) {
    const Value* found = source.find(key);
    if (found != nullptr && found->is_string()) return *found->if_string();
  }
  const Value* list = source.find("list");
  return json::print(list == nullptr ? source : *list);
}

/// What a loop goes by: `while has_errors`, `for each of files`, `3 times`.
std::string loop_text(const Step& loop) {
  const std::string_view kind = text_of(loop, "kind");
  if (const Value* items = loop.fields.find("items")) {
    return cat("for each of ", source_text(*items));
  }
  if (const Value* count = loop.fields.find("count")) return cat(source_text(*count), " times");
  const Value* condition = loop.fields.find("condition");
  if (condition != nullptr) return cat(kind, ' ', condition_text(*condition));
  return cat(kind, " the agent decides so");
}

class Explanation {
 public:
  explicit Explanation(const json::Object& inputs) : inputs_(inputs) {}

  void block(const std::vector<Step>& steps, const std::vector<std::string>& conditions) {
    for (const Step& step : steps) one(step, conditions);
  }

  ExplainedPlan plan;

 private:
  void one(const Step& step, std::vector<std::string> conditions) {
    if (const Value* when = step.fields.find("runCondition")) {
      conditions.push_back(condition_text(*when));
    }
    ExplainedStep out{step.id, step.kind, step.title, conditions, {}, {}};
    if (const Value* needs = step.fields.find("dependencies")) {
      for (const Value& each : *needs->if_array()) out.dependencies.push_back(*each.if_string());
    }
    if (step.kind == StepKind::parallel_foreach) out.sub_agents = item_count(step);
    if (step.kind == StepKind::mcp_call) add_tool(text_of(step, "tool"));
    plan.steps.push_back(std::move(out));
    for (const workflow::Block& inner : step.blocks) {
      std::vector<std::string> within = conditions;
      if (step.kind == StepKind::loop) within.push_back(loop_text(step));
      if (step.kind == StepKind::conditional) within.push_back(branch_text(step, inner.name));
      block(inner.steps, within);
    }
  }

  static std::string branch_text(const Step& step, std::string_view block) {
    const Value* condition = step.fields.find("condition");
    const std::string text = condition == nullptr ? step.id : condition_text(*condition);
    return block == "else" ? cat("not (", text, ')') : text;
  }

  std::optional<std::int64_t> item_count(const Step& step) const {
    const Value* items = step.fields.find("items");
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
  const Value* minutes = workflow.fields.find("estimated_duration_minutes");
  if (minutes != nullptr && minutes->is_number()) explanation.plan.minutes = minutes->as_double();
  return std::move(explanation.plan);
}

}  // namespace baton::run
