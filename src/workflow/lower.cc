#include "workflow/lower.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "workflow/closed_sets.h"
#include "workflow/lower_step.h"

namespace baton::workflow {
namespace {

using json::Array;
using json::Object;

/// The contracts and personas that the steps name.
struct Used {
  std::set<std::string> contracts;
  std::set<std::string> personas;
};

void collect(const std::vector<Step>& steps, Used& used) {
  for (const Step& step : steps) {
    if (const json::Value* contract = step.fields.find("outputContract")) {
      used.contracts.insert(*contract->find("contract")->if_string());
    }
    if (const json::Value* control = step.fields.find("control")) {
      used.contracts.insert(*control->find("contract")->if_string());
    }
    if (const json::Value* agent = step.fields.find("agent")) {
      used.personas.insert(*agent->if_string());
    }
    if (step.fields.contains("assessmentRefs")) used.contracts.insert("assessment");
    for (const Block& block : step.blocks) collect(block.steps, used);
  }
}

Object contracts_of(const Used& used) {
  Object out;
  for (const std::string& id : used.contracts) {
    const Contract* found = find_builtin(contracts(), id);
    if (found == nullptr) continue;
    // The text is ours, and a test reads every one.
    out.set(id, MUST(json::parse(found->schema)));
  }
  return out;
}

Object personas_of(const Used& used, const Library& library) {
  Object out;
  for (const std::string& name : used.personas) {
    const auto found = library.personas.find(name);
    if (found == library.personas.end()) continue;
    out.set(name, Object{{"description", found->second.text_of("description")},
                         {"text", found->second.text_of("body")}});
  }
  return out;
}

Array rules_of(const Library& library) {
  std::vector<const Node*> sorted;
  for (const Node& rule : library.rules) sorted.push_back(&rule);
  std::ranges::sort(sorted, {}, [](const Node* rule) { return rule->text_of("name"); });
  Array out;
  for (const Node* rule : sorted) {
    Object entry{{"name", rule->text_of("name")}, {"text", rule->text_of("body")}};
    if (const Node* globs = rule->find("globs")) entry.set("globs", globs->to_json());
    out.push_back(std::move(entry));
  }
  return out;
}

Object task_of(Node& task, StepLowering& lowering, Used& used) {
  const auto steps_json = [&](Node& list) {
    const std::vector<Step> steps = lowering.steps(list);
    collect(steps, used);
    Array out;
    for (const Step& step : steps) out.push_back(to_json(step));
    return out;
  };
  Object out{{"description", task.text_of("description")}};
  if (const Node* inputs = task.find("inputs")) out.set("inputs", lowering.inputs(*inputs));
  if (Node* steps = task.find("steps")) out.set("steps", steps_json(*steps));
  if (task.has("prompt_template")) out.set("prompt", task.text_of("prompt_template"));
  if (const Node* context = task.find("context_template")) out.set("context", context->to_json());
  Object state = lowering.state(task);
  if (!state.empty()) out.set("state", std::move(state));
  if (Node* handling = task.find("error_handling")) {
    Object errors{{"return_on_error", handling->is_true("return_on_error")}};
    if (Node* steps = handling->find("cleanup_on_error")) {
      errors.set("cleanup", steps_json(*steps));
    }
    out.set("error_handling", std::move(errors));
  }
  return out;
}

class WorkflowLowering {
 public:
  WorkflowLowering(const Document& main, Expanded& expanded, const Library& library,
                   Diagnostics& diagnostics)
      : main_(main),
        root_(expanded.root),
        expanded_(expanded),
        library_(library),
        steps_(diagnostics, out_.commands) {}

  Lowered run() {
    CompiledWorkflow& workflow = out_.workflow;
    names(workflow);
    if (Node* steps = root_.find("steps")) workflow.steps = steps_.steps(*steps);
    collect(workflow.steps, used_);
    Object& fields = workflow.fields;
    if (root_.text_of("kind") == "routine") fields.set("kind", "routine");
    copy(fields);
    if (const Node* inputs = root_.find("inputs")) fields.set("inputs", steps_.inputs(*inputs));
    add(fields, "state", steps_.state(root_));
    tasks(fields);
    errors(fields);
    features(fields);
    if (root_.has("body")) fields.set("guidance", root_.text_of("body"));
    if (const Node* list = root_.find("functionDefinitions")) {
      fields.set("functions", list->to_json());
    }
    add(fields, "contracts", contracts_of(used_));
    add(fields, "personas", personas_of(used_, library_));
    if (Array rules = rules_of(library_); !rules.empty()) fields.set("rules", std::move(rules));
    return std::move(out_);
  }

 private:
  static void add(Object& fields, std::string_view key, Object value) {
    if (!value.empty()) fields.set(key, std::move(value));
  }

  void names(CompiledWorkflow& workflow) {
    workflow.id = main_.id;
    const std::string_view title = root_.text_of("title");
    workflow.name = !title.empty() ? title : root_.text_of("name");
    if (workflow.name.empty()) workflow.name = workflow.id;
    workflow.description = root_.text_of("description");
    workflow.version = root_.has("version") ? root_.text_of("version") : "0";
    if (const Node* tags = root_.find("tags")) {
      for (const Node& tag : tags->children) workflow.tags.push_back(tag.text);
    }
  }

  void copy(Object& fields) {
    for (const std::string_view key :
         {"complexity", "estimated_duration_minutes", "triggers", "on_resume", "config",
          "metaGuidance", "preconditions", "clarificationPrompts", "references", "capabilities",
          "recommendedPreferences", "assessments"}) {
      const Node* found = root_.find(key);
      const bool holds = found != nullptr &&
                         !(found->children.empty() && (found->is_array() || found->is_object()));
      if (holds) fields.set(key, found->to_json());
    }
  }

  void tasks(Object& fields) {
    Object tasks;
    for (Node& task : expanded_.tasks.children) {
      tasks.set(task.key, task_of(task, steps_, used_));
    }
    add(fields, "tasks", std::move(tasks));
  }

  void errors(Object& fields) {
    Node* handling = root_.find("error_handling");
    if (handling == nullptr) return;
    Object out;
    for (const std::string_view key : {"on_error", "error_collection"}) {
      if (const Node* found = handling->find(key)) out.set(key, found->to_json());
    }
    if (Node* steps = handling->find("on_failure")) {
      std::vector<Step>& lowered = out_.workflow.on_failure;
      lowered = steps_.steps(*steps);
      collect(lowered, used_);
      Array list;
      for (const Step& step : lowered) list.push_back(to_json(step));
      out.set("on_failure", std::move(list));
    }
    add(fields, "error_handling", std::move(out));
  }

  void features(Object& fields) {
    const Node* list = root_.find("features");
    if (list == nullptr) return;
    std::map<std::string, json::Value> sorted;
    for (const Node& each : list->children) {
      const std::string_view id =
          bare_name(each.is_text() ? std::string_view(each.text) : each.text_of("id"), "features");
      const Node* config = each.find("config");
      sorted[std::string(id)] = config == nullptr ? json::Value(Object()) : config->to_json();
    }
    Object out;
    for (auto& [id, config] : sorted) out.set(id, std::move(config));
    add(fields, "features", std::move(out));
  }

  const Document& main_;
  Node& root_;
  Expanded& expanded_;
  const Library& library_;
  Lowered out_;
  StepLowering steps_;
  Used used_;
};

}  // namespace

Lowered lower(const Document& main, Expanded expanded, const Library& library,
              Diagnostics& diagnostics) {
  return WorkflowLowering(main, expanded, library, diagnostics).run();
}

}  // namespace baton::workflow
