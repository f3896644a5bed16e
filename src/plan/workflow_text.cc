#include "plan/workflow_text.h"

#include <algorithm>
#include <map>

#include "base/core/sha256.h"
#include "base/text/text.h"

namespace baton::plan {
namespace {

constexpr std::size_t digest_chars = 12;
constexpr std::string_view braces_name = "plan_open_braces";

std::string digest_of(const PlanTask& task) {
  return sha256(task.text).hex().substr(0, digest_chars);
}

bool is_open_leaf(const PlacedTask& each) {
  return !each.task->done && each.task->children.empty();
}

/// "Parser > Lines", the tasks above one.
std::string way_to(const std::vector<PlanTask>& tasks, TaskPath path) {
  std::string out;
  for (path.pop_back(); !path.empty(); path.pop_back()) {
    out = cat(task_at(tasks, path).text, out.empty() ? "" : " > ", out);
  }
  return out;
}

/// Text of a person in a template: where it has braces, an expression that gives these braces.
std::string literal(std::string_view text) {
  std::string out;
  for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{")) {
    out += cat(text.substr(0, at), "{{ ", braces_name, " }}");
    text.remove_prefix(at + 2);
  }
  return out += text;
}

std::string prompt_for(const Plan& document, const PlacedTask& each, bool first) {
  std::string out = cat("Task ", path_text(each.path), " of the plan: ", each.task->text, "\n");
  const std::string way = way_to(document.tasks, each.path);
  if (!way.empty()) out += cat("It is part of: ", way, "\n");
  if (document.header->title) out += cat("\nThe goal: ", *document.header->title, "\n");
  if (first && document.description) out += cat("\n", *document.description, "\n");
  if (!document.constraints.empty()) out += "\nKeep to this:\n";
  for (const Constraint& constraint : document.constraints) {
    out += cat("- ", constraint.key, ": ", constraint.value, "\n");
  }
  return out +
         "\nDo this task and no other, and check the result. Say in your notes what you did and "
         "how you checked it. When you continue, a Baton server of this project marks the task in "
         "the plan, as long as the plan is still the current one; if it is not marked, mark it.";
}

/// A title is shown in places that fill in no expressions.
std::string title_for(const PlacedTask& each) {
  if (!each.task->text.contains("{{")) return each.task->text;
  return cat("Task ", path_text(each.path), " of the plan");
}

}  // namespace

json::Object workflow_context(std::string_view workflow) {
  json::Object context;
  if (workflow.contains(braces_name)) context.set(braces_name, "{{");
  return context;
}

std::string step_id(const TaskPath& path, const PlanTask& task) {
  std::string number = path_text(path);
  std::ranges::replace(number, '.', '-');
  return cat("task-", number, '-', digest_of(task));
}

Result<std::string> workflow_text(const Plan& document, std::string_view workflow_id) {
  json::Array steps;
  for (const PlacedTask& each : all_tasks(document.tasks)) {
    if (!is_open_leaf(each)) continue;
    steps.push_back(json::Object{{"id", step_id(each.path, *each.task)},
                                 {"title", title_for(each)},
                                 {"prompt", literal(prompt_for(document, each, steps.empty()))}});
  }
  if (!document.header || steps.empty()) {
    return fail(Code::NO_TASKS_FOUND, "the plan has no open task to run", Move::add_tasks);
  }
  std::string name = document.header->title.value_or(document.header->type);
  if (name.contains("{{")) name = document.header->type;
  return json::print(json::Object{{"id", workflow_id},
                                  {"name", name},
                                  {"description", cat("The plan: ", name)},
                                  {"version", "1"},
                                  {"steps", std::move(steps)}});
}

std::vector<TaskPath> tasks_of_steps(const std::vector<PlanTask>& tasks,
                                     const std::vector<std::string>& step_ids) {
  std::vector<TaskPath> out;
  const std::vector<PlacedTask> all = all_tasks(tasks);
  std::map<std::string_view, int> uses;
  for (const PlacedTask& each : all) ++uses[each.task->text];
  for (const PlacedTask& each : all) {
    if (!is_open_leaf(each)) continue;
    const bool same_text = uses[each.task->text] > 1;
    const std::string ending = cat('-', digest_of(*each.task));
    const bool settled = std::ranges::any_of(step_ids, [&](const std::string& id) {
      // Of tasks with one text, the number says which is meant.
      return same_text ? id == step_id(each.path, *each.task)
                       : id.starts_with("task-") && id.ends_with(ending);
    });
    if (settled) out.push_back(each.path);
  }
  return out;
}

}  // namespace baton::plan
