#include "workflow/lower/lower.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "workflow/check/closed_sets.h"

namespace baton::workflow {
namespace {

using json::Array;
using json::Object;

Object contracts_of(const std::set<std::string>& used) {
  Object out;
  for (const std::string& id : used) {
    const Contract* found = find_builtin(contracts(), id);
    if (found == nullptr) continue;
    // The text is ours, and a test reads every one.
    out.set(id, MUST(json::parse(found->schema)));
  }
  return out;
}

Object personas_of(const std::set<std::string>& used, const Library& library) {
  Object out;
  for (const std::string& name : used) {
    const auto found = library.personas.find(name);
    if (found == library.personas.end()) continue;
    out.set(name, Object{{"description", found->second.text_of("description")},
                         {"text", found->second.text_of("body")}});
  }
  return out;
}

Array rules_of(const Library& library) {
  std::vector<const SyntaxNode*> sorted;
  for (const SyntaxNode& rule : library.rules) sorted.push_back(&rule);
  std::ranges::sort(sorted, {}, [](const SyntaxNode* rule) { return rule->text_of("name"); });
  Array out;
  for (const SyntaxNode* rule : sorted) {
    Object entry{{"name", rule->text_of("name")}, {"text", rule->text_of("body")}};
    if (const SyntaxNode* globs = rule->find("globs")) entry.set("globs", globs->to_json());
    out.push_back(std::move(entry));
  }
  return out;
}

Object task_of(SyntaxNode& task, StepLowering& lowering) {
  const auto steps_json = [&](SyntaxNode& list) {
    Array out;
    for (const Step& step : lowering.steps(list)) out.push_back(to_json(step));
    return out;
  };
  Object out{{"description", task.text_of("description")}};
  if (const SyntaxNode* inputs = task.find("inputs")) out.set("inputs", lowering.inputs(*inputs));
  if (SyntaxNode* steps = task.find("steps")) out.set("steps", steps_json(*steps));
  if (task.has("prompt_template")) out.set("prompt", task.text_of("prompt_template"));
  if (const SyntaxNode* context = task.find("context_template"))
    out.set("context", context->to_json());
  Object state = lowering.state(task);
  if (!state.empty()) out.set("state", std::move(state));
  if (SyntaxNode* handling = task.find("error_handling")) {
    Object errors{{"return_on_error", handling->is_true("return_on_error")}};
    if (SyntaxNode* steps = handling->find("cleanup_on_error")) {
      errors.set("cleanup", steps_json(*steps));
    }
    out.set("error_handling", std::move(errors));
  }
  return out;
}

class WorkflowLowering {
 public:
  WorkflowLowering(const WorkflowDocument& main, Expanded& expanded, const Library& library,
                   Diagnostics& diagnostics)
      : main_(main),
        root_(expanded.root),
        expanded_(expanded),
        library_(library),
        steps_(diagnostics, out_.commands) {}

  Lowered run() {
    CompiledWorkflow& workflow = out_.workflow;
    names(workflow);
    if (SyntaxNode* steps = root_.find("steps")) workflow.steps = steps_.steps(*steps);
    Object& declared = workflow.declared;
    if (root_.text_of("kind") == "routine") declared.set("kind", "routine");
    copy(declared);
    if (const SyntaxNode* inputs = root_.find("inputs"))
      declared.set("inputs", steps_.inputs(*inputs));
    add(declared, "state", steps_.state(root_));
    tasks(declared);
    errors(declared);
    features(declared);
    if (root_.has("body")) declared.set("guidance", root_.text_of("body"));
    if (const SyntaxNode* list = root_.find("functionDefinitions")) {
      declared.set("functions", list->to_json());
    }
    add(declared, "contracts", contracts_of(steps_.contracts));
    add(declared, "personas", personas_of(steps_.personas, library_));
    if (Array rules = rules_of(library_); !rules.empty()) declared.set("rules", std::move(rules));
    return std::move(out_);
  }

 private:
  static void add(Object& declared, std::string_view key, Object value) {
    if (!value.empty()) declared.set(key, std::move(value));
  }

  void names(CompiledWorkflow& workflow) {
    workflow.id = main_.id;
    const std::string_view title = root_.text_of("title");
    workflow.name = !title.empty() ? title : root_.text_of("name");
    if (workflow.name.empty()) workflow.name = workflow.id;
    workflow.description = root_.text_of("description");
    workflow.version = root_.has("version") ? root_.text_of("version") : "0";
    if (const SyntaxNode* tags = root_.find("tags")) {
      for (const SyntaxNode& tag : tags->children) workflow.tags.push_back(tag.text);
    }
  }

  void copy(Object& declared) {
    for (const std::string_view key :
         {"complexity", "estimated_duration_minutes", "triggers", "on_resume", "config",
          "metaGuidance", "preconditions", "clarificationPrompts", "references", "capabilities",
          "recommendedPreferences", "assessments", "budget"}) {
      const SyntaxNode* found = root_.find(key);
      const bool holds = found != nullptr &&
                         !(found->children.empty() && (found->is_array() || found->is_object()));
      if (holds) declared.set(key, found->to_json());
    }
  }

  void tasks(Object& declared) {
    Object tasks;
    for (SyntaxNode& task : expanded_.tasks.children) {
      tasks.set(task.key, task_of(task, steps_));
    }
    add(declared, "tasks", std::move(tasks));
  }

  void errors(Object& declared) {
    SyntaxNode* handling = root_.find("error_handling");
    if (handling == nullptr) return;
    Object out;
    for (const std::string_view key : {"on_error", "error_collection"}) {
      if (const SyntaxNode* found = handling->find(key)) out.set(key, found->to_json());
    }
    if (SyntaxNode* steps = handling->find("on_failure")) {
      std::vector<Step>& lowered = out_.workflow.on_failure;
      lowered = steps_.steps(*steps);
      Array list;
      for (const Step& step : lowered) list.push_back(to_json(step));
      out.set("on_failure", std::move(list));
    }
    add(declared, "error_handling", std::move(out));
  }

  void features(Object& declared) {
    const SyntaxNode* list = root_.find("features");
    if (list == nullptr) return;
    std::map<std::string, json::Value> sorted;
    for (const SyntaxNode& each : list->children) {
      const std::string_view id =
          bare_name(each.is_text() ? std::string_view(each.text) : each.text_of("id"), "features");
      if (find_builtin(workflow::features(), id) == nullptr) continue;  // of another release
      const SyntaxNode* config = each.find("config");
      sorted[std::string(id)] = config == nullptr ? json::Value(Object()) : config->to_json();
    }
    Object out;
    for (auto& [id, config] : sorted) out.set(id, std::move(config));
    add(declared, "features", std::move(out));
  }

  const WorkflowDocument& main_;
  SyntaxNode& root_;
  Expanded& expanded_;
  const Library& library_;
  Lowered out_;
  StepLowering steps_;
};

}  // namespace

Lowered lower(const WorkflowDocument& main, Expanded expanded, const Library& library,
              Diagnostics& diagnostics) {
  return WorkflowLowering(main, expanded, library, diagnostics).run();
}

}  // namespace baton::workflow
