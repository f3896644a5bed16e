#include "workflow/check_steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/core/limits.h"
#include "base/schema/pattern.h"
#include "base/schema/schema.h"
#include "base/text/glob.h"
#include "base/text/text.h"
#include "workflow/closed_sets.h"

namespace baton::workflow {
namespace {

class Checker {
 public:
  Checker(const Expanded& expanded, Diagnostics& diagnostics)
      : expanded_(expanded), diagnostics_(diagnostics) {}

  void run() {
    for (const Node& task : expanded_.tasks.children) task_names_.insert(task.key);
    assessments();
    if (const Node* steps = expanded_.root.find("steps")) block(*steps, false);
    if (const Node* handling = expanded_.root.find("error_handling")) {
      if (const Node* steps = handling->find("on_failure")) block(*steps, false);
    }
    for (const Node& task : expanded_.tasks.children) this->task(task);
    for (const Node& task : expanded_.tasks.children) {
      if (used_tasks_.contains(task.key)) continue;
      diagnostics_.warning(Code::WORKFLOW_UNREACHABLE, task.key_at,
                           cat("no step uses the task \"", task.key, '"'));
    }
  }

 private:
  void wrong(Code code, const Place& at, std::string message, std::string hint = {}) {
    diagnostics_.error(code, at, std::move(message), std::move(hint));
  }

  /// The suggestion; nothing when it will not be reported.
  std::vector<std::string_view> named(const std::set<std::string, std::less<>>& names) const {
    if (diagnostics_.is_full()) return {};
    return {names.begin(), names.end()};
  }

  void assessments() {
    const Node* list = expanded_.root.find("assessments");
    if (list == nullptr) return;
    for (const Node& each : list->children) {
      if (!assessment_ids_.insert(std::string(each.text_of("id"))).second) {
        wrong(Code::WORKFLOW_DUPLICATE_ID, each.at,
              cat("the assessment \"", each.text_of("id"), "\" occurs twice"));
      }
    }
  }

  void task(const Node& task) {
    const bool has_steps = task.has("steps");
    if (has_steps == task.has("prompt_template")) {
      wrong(has_steps ? Code::WORKFLOW_DUPLICATE_KEY : Code::WORKFLOW_MISSING_KEY, task.at,
            cat("the task \"", task.key, "\" needs either \"steps\" or \"prompt_template\""));
    }
    if (const Node* steps = task.find("steps")) scope(*steps);
  }

  /// Steps whose ids must differ: those of a task. Those of a workflow and its failure steps are
  /// checked together.
  void scope(const Node& steps) {
    std::unordered_set<std::string_view> outer = std::exchange(ids_, {});
    block(steps, false);
    ids_ = std::move(outer);
  }

  void block(const Node& steps, bool in_loop) {
    const bool is_graph = std::ranges::any_of(
        steps.children, [](const Node& step) { return step.has("dependencies"); });
    if (is_graph) graph(steps);
    bool ended = false;
    for (const Node& step : steps.children) {
      if (ended && !is_graph) {
        diagnostics_.warning(Code::WORKFLOW_UNREACHABLE, step.at,
                             cat("the step \"", step.text_of("id"), "\" can never run"),
                             "the step before it always leaves the block");
        ended = false;
      }
      one(step, in_loop);
      const std::string_view type = step.text_of("type");
      ended = ended || ((type == "break" || type == "continue" || type == "exit") &&
                        !step.has("runCondition"));
    }
  }

  void id(const Node& step) {
    const Node* found = step.find("id");
    if (found == nullptr) return;
    if (!is_valid_name(found->text) || found->text.find("::") != std::string::npos) {
      wrong(Code::WORKFLOW_WRONG_VALUE, found->at, cat("\"", found->text, "\" is not an id"),
            "letters, digits, '-', '_', ':' and '.' only, 1 to 128 characters");
    } else if (!ids_.insert(found->text).second) {
      wrong(Code::WORKFLOW_DUPLICATE_ID, found->at, cat("the id \"", found->text, "\" is taken"));
    }
  }

  void one(const Node& step, bool in_loop) {
    id(step);
    const std::string_view type = step.text_of("type");
    if ((type == "break" || type == "continue") && !in_loop) {
      wrong(Code::WORKFLOW_MISPLACED_STEP, step.at, cat("\"", type, "\" is outside a loop"));
    }
    if (type == "while") bound(step, step.find("max_iterations"), limits::while_iterations_max);
    if (type == "loop") loop(step);
    if (type == "conditional" && !step.has("then") && !step.has("else")) {
      wrong(Code::WORKFLOW_MISSING_KEY, step.at, "a conditional step needs \"then\" or \"else\"");
    }
    if ((type == "while" || type == "foreach") && !step.has("body")) {
      wrong(Code::WORKFLOW_MISSING_KEY, step.at, cat("a ", type, " step needs \"body\""));
    }
    if (type == "parallel_foreach") parallel(step);
    if (type == "shell_command" || type == "agent_shell_command") shell(step);
    if (type == "prompt") prompt(step);
    globs(step);
    const bool opens_loop = type == "while" || type == "foreach" || type == "loop";
    const bool own_scope = type == "parallel_foreach";
    for (const std::string_view key : block_keys()) {
      const Node* inner = step.find(key);
      if (inner == nullptr || !inner->is_array()) continue;
      if (own_scope)
        scope(*inner);
      else
        block(*inner, opens_loop || (in_loop && type != "include"));
    }
  }

  void bound(const Node& step, const Node* most, std::int64_t limit) {
    if (most == nullptr || most->integer <= limit) return;
    static_cast<void>(step);
    wrong(Code::WORKFLOW_UNBOUNDED_LOOP, most->at, cat("at most ", limit, " iterations"));
  }

  void loop(const Node& step) {
    const Node* config = step.find("loop");
    if (config == nullptr) return;
    const Node* most = config->find("maxIterations");
    if (most == nullptr) {
      wrong(Code::WORKFLOW_UNBOUNDED_LOOP, config->at, "a loop needs \"maxIterations\"");
    }
    bound(step, most, limits::loop_iterations_max);
    const std::string_view kind = config->text_of("type");
    const auto needs = [&](std::string_view key) {
      if (config->has(key)) return;
      wrong(Code::WORKFLOW_MISSING_KEY, config->at,
            cat("a loop of type ", kind, " needs \"", key, '"'));
    };
    if (kind == "for") needs("count");
    if (kind == "forEach") needs("items");
    if ((kind == "while" || kind == "until") && !config->has("conditionSource")) needs("condition");
    if (const Node* source = config->find("conditionSource")) {
      const bool artifact = source->text_of("kind") == "artifact_contract";
      if (artifact)
        contract(source->find("contractRef"), source->at);
      else if (!source->has("condition")) {
        wrong(Code::WORKFLOW_MISSING_KEY, source->at, "conditionSource needs \"condition\"");
      }
    }
  }

  void contract(const Node* name, const Place& at) {
    if (name == nullptr) {
      wrong(Code::WORKFLOW_MISSING_KEY, at, "\"contractRef\" is required here");
      return;
    }
    const std::string_view id = bare_name(name->text, "contracts");
    if (find_builtin(contracts(), id) != nullptr) return;
    std::vector<std::string_view> names;
    for (const Contract& each : contracts()) names.push_back(each.id);
    std::string hint = did_you_mean(id, names);
    wrong(Code::WORKFLOW_UNKNOWN_NAME, name->at, cat("there is no contract \"", name->text, '"'),
          hint.empty() ? cat("the contracts are ", either_of(names)) : hint);
  }

  void capability(const Node& output, const Node& name) {
    if (bare_name(output.text_of("contractRef"), "contracts") != "capability_observation") {
      wrong(Code::WORKFLOW_WRONG_VALUE, name.at,
            "\"capability\" belongs to the contract capability_observation");
    }
    if (find_builtin(capabilities(), name.text) != nullptr) return;
    std::vector<std::string_view> names;
    for (const Builtin& each : capabilities()) names.push_back(each.id);
    wrong(Code::WORKFLOW_UNKNOWN_NAME, name.at, cat("there is no capability \"", name.text, '"'),
          cat("the capabilities are ", either_of(names)));
  }

  void parallel(const Node& step) {
    const Node* task = step.find("sub_agent_task");
    if ((task != nullptr) == step.has("steps")) {
      wrong(task != nullptr ? Code::WORKFLOW_DUPLICATE_KEY : Code::WORKFLOW_MISSING_KEY, step.at,
            "a parallel_foreach step needs either \"sub_agent_task\" or \"steps\"");
    }
    if (task == nullptr) return;
    used_tasks_.insert(task->text);
    if (task_names_.contains(task->text)) return;
    const std::vector<std::string_view> names = named(task_names_);
    wrong(Code::WORKFLOW_UNKNOWN_NAME, task->at, cat("there is no task \"", task->text, '"'),
          did_you_mean(task->text, names));
  }

  void shell(const Node& step) {
    if (step.has("command") == step.has("argv")) {
      wrong(step.has("argv") ? Code::WORKFLOW_DUPLICATE_KEY : Code::WORKFLOW_MISSING_KEY, step.at,
            "a shell step needs either \"command\" or \"argv\"");
    }
  }

  void prompt(const Node& step) {
    if (const Node* output = step.find("outputContract")) {
      contract(output->find("contractRef"), output->at);
      if (const Node* about = output->find("capability")) capability(*output, *about);
    }
    if (const Node* refs = step.find("assessmentRefs")) {
      for (const Node& each : refs->children) assessment(each);
    }
    if (const Node* list = step.find("assessmentConsequences")) {
      for (const Node& each : list->children) {
        const Node* when = each.find("when");
        const Node* which = when == nullptr ? nullptr : when->find("forAssessment");
        if (which != nullptr) assessment(*which);
      }
    }
    if (const Node* criteria = step.find("validationCriteria")) rules(*criteria);
    if (const Node* evidence = step.find("evidence")) {
      for (const Node& each : evidence->children) this->evidence(each);
    }
  }

  void assessment(const Node& name) {
    if (assessment_ids_.contains(name.text)) return;
    const std::vector<std::string_view> names = named(assessment_ids_);
    wrong(Code::WORKFLOW_UNKNOWN_NAME, name.at, cat("there is no assessment \"", name.text, '"'),
          did_you_mean(name.text, names));
  }

  void pattern(const Node* node) {
    if (node == nullptr || !node->is_text()) return;
    const auto compiled = schema::Pattern::compile(node->text);
    if (!compiled) {
      wrong(Code::WORKFLOW_WRONG_VALUE, node->at, cat("the pattern: ", compiled.error().message));
    }
  }

  void rules(const Node& node) {
    if (node.is_object() && node.has("type")) {
      pattern(node.find("pattern"));
      if (const Node* shape = node.find("schema")) {
        const auto compiled = schema::Schema::compile(shape->to_json(), {});
        if (!compiled) {
          wrong(Code::WORKFLOW_WRONG_VALUE, shape->at,
                cat("the schema: ", compiled.error().message));
        }
      }
      return;
    }
    for (const Node& child : node.children) rules(child);
  }

  void evidence(const Node& node) {
    if (node.children.size() != 1) {
      wrong(Code::WORKFLOW_WRONG_VALUE, node.at, "a piece of evidence has exactly one key");
      return;
    }
    const Node& only = node.children.front();
    if (only.key == "file_contains") pattern(only.find("pattern"));
    if (only.key == "artifact" && only.has("schema")) {
      const Node& shape = *only.find("schema");
      const auto compiled = schema::Schema::compile(shape.to_json(), {});
      if (!compiled) {
        wrong(Code::WORKFLOW_WRONG_VALUE, shape.at, cat("the schema: ", compiled.error().message));
      }
    }
  }

  void globs(const Node& step) {
    const Node* list = step.find("pathPatterns");
    if (list == nullptr) return;
    for (const Node& each : list->children) {
      const auto compiled = Glob::compile(each.text);
      if (!compiled) {
        wrong(Code::WORKFLOW_WRONG_VALUE, each.at, cat("the glob: ", compiled.error().message));
      }
    }
  }

  void graph(const Node& steps) {
    std::map<std::string_view, std::size_t> places;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < steps.children.size(); ++i) {
      places.emplace(steps.children[i].text_of("id"), i);
      names.push_back(steps.children[i].text_of("id"));
    }
    std::vector<std::vector<std::size_t>> needs(steps.children.size());
    for (std::size_t i = 0; i < steps.children.size(); ++i) {
      const Node* list = steps.children[i].find("dependencies");
      if (list == nullptr) continue;
      for (const Node& each : list->children) {
        const auto found = places.find(each.text);
        if (found == places.end()) {
          wrong(Code::WORKFLOW_UNKNOWN_NAME, each.at,
                cat("there is no step \"", each.text, "\" in this block"),
                diagnostics_.is_full() ? std::string() : did_you_mean(each.text, names));
        } else if (found->second == i) {
          wrong(Code::WORKFLOW_CYCLE, each.at, cat("the step \"", each.text, "\" needs itself"));
        } else {
          needs[i].push_back(found->second);
        }
      }
    }
    const std::vector<std::size_t> circle = find_circle(needs);
    if (circle.empty()) return;
    std::string text;
    for (const std::size_t each : circle) text += cat(names[each], " -> ");
    wrong(Code::WORKFLOW_CYCLE, steps.children[circle.front()].at,
          cat("these steps depend on each other: ", text, names[circle.front()]));
  }

  const Expanded& expanded_;
  Diagnostics& diagnostics_;
  std::unordered_set<std::string_view> ids_;
  std::set<std::string, std::less<>> assessment_ids_;
  std::set<std::string, std::less<>> task_names_;
  std::set<std::string, std::less<>> used_tasks_;
};

}  // namespace

std::vector<std::size_t> find_circle(const std::vector<std::vector<std::size_t>>& needs) {
  enum class Mark : std::uint8_t { fresh, open, done };
  std::vector<Mark> marks(needs.size(), Mark::fresh);
  std::vector<std::pair<std::size_t, std::size_t>> path;  // node, next of its needs
  for (std::size_t start = 0; start < needs.size(); ++start) {
    if (marks[start] != Mark::fresh) continue;
    path.assign(1, {start, 0});
    marks[start] = Mark::open;
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next == needs[node].size()) {
        marks[node] = Mark::done;
        path.pop_back();
        continue;
      }
      const std::size_t to = needs[node][next++];
      if (marks[to] == Mark::fresh) {
        marks[to] = Mark::open;
        path.emplace_back(to, 0);
      } else if (marks[to] == Mark::open) {
        std::vector<std::size_t> circle;
        auto each = std::ranges::find(path, to, [](const auto& entry) { return entry.first; });
        for (; each != path.end(); ++each) circle.push_back(each->first);
        return circle;
      }
    }
  }
  return {};
}

void check_steps(const Expanded& expanded, Diagnostics& diagnostics) {
  Checker(expanded, diagnostics).run();
}

}  // namespace baton::workflow
