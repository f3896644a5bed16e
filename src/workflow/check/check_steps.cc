#include "workflow/check/check_steps.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/text/glob.h"
#include "base/text/text.h"
#include "workflow/steps/checks.h"
#include "workflow/steps/gate_keys.h"

namespace baton::workflow {
namespace {

class Checker {
 public:
  Checker(const Expanded& expanded, Diagnostics& diagnostics)
      : expanded_(expanded), diagnostics_(diagnostics), checks_(expanded, diagnostics) {}

  void run() {
    if (const SyntaxNode* steps = expanded_.root.find("steps")) block(*steps, false);
    if (const SyntaxNode* handling = expanded_.root.find("error_handling")) {
      if (const SyntaxNode* steps = handling->find("on_failure")) block(*steps, false);
    }
    for (const SyntaxNode& task : expanded_.tasks.children) this->task(task);
    checks_.report_unused_tasks();
  }

 private:
  /// Where each id is used first. The places are the document's.
  using Ids = std::unordered_map<std::string_view, const SourcePlace*>;

  void wrong(Code code, const SourcePlace& at, std::string message, std::string hint = {}) {
    diagnostics_.error(code, at, std::move(message), std::move(hint));
  }

  void task(const SyntaxNode& task) {
    const bool has_steps = task.has("steps");
    if (has_steps == task.has("prompt_template")) {
      wrong(has_steps ? Code::WORKFLOW_DUPLICATE_KEY : Code::WORKFLOW_MISSING_KEY, task.at,
            cat("the task \"", task.key, "\" needs either \"steps\" or \"prompt_template\""));
    }
    if (const SyntaxNode* steps = task.find("steps")) scope(*steps);
  }

  /// Steps whose ids must differ: those of a task. Those of a workflow and its failure steps are
  /// checked together.
  void scope(const SyntaxNode& steps) {
    Ids outer = std::exchange(ids_, {});
    block(steps, false);
    ids_ = std::move(outer);
  }

  void block(const SyntaxNode& steps, bool in_loop) {
    const bool is_graph = std::ranges::any_of(
        steps.children, [](const SyntaxNode& step) { return step.has("dependencies"); });
    if (is_graph) graph(steps);
    bool ended = false;
    for (const SyntaxNode& step : steps.children) {
      if (ended && !is_graph) {
        diagnostics_.warning(Code::WORKFLOW_UNREACHABLE, step.at,
                             cat("the step \"", step.text_of("id"), "\" can never run"),
                             "the step before it always leaves the block");
        ended = false;
      }
      one(step, in_loop);
      ended = ended || (expanded_type(step).leaves_block && !step.has("runCondition"));
    }
  }

  void id(const SyntaxNode& step) {
    const SyntaxNode* found = step.find("id");
    if (found == nullptr) return;
    if (!is_valid_name(found->text) || found->text.find("::") != std::string::npos) {
      wrong(Code::WORKFLOW_WRONG_VALUE, found->at, cat("\"", found->text, "\" is not an id"),
            "letters, digits, '-', '_', ':' and '.' only, 1 to 128 characters");
    } else if (const auto [first, is_new] = ids_.emplace(found->text, &found->at); !is_new) {
      const SourcePlace& at = *first->second;
      wrong(Code::WORKFLOW_DUPLICATE_ID, found->at, cat("the id \"", found->text, "\" is taken"),
            cat("line ", at.line, at.file == found->at.file ? "" : " of another file",
                " has it first"));
    }
  }

  void one(const SyntaxNode& step, bool in_loop) {
    id(step);
    const StepType& type = expanded_type(step);
    checks_.in_loop = in_loop;
    if (type.check != nullptr) type.check(step, checks_);
    check_gate_keys(step, checks_);
    globs(step);
    for (const std::string_view key : block_keys()) {
      const SyntaxNode* inner = step.find(key);
      if (inner == nullptr || !inner->is_array()) continue;
      if (type.inside == Inside::task)
        scope(*inner);
      else
        block(*inner, type.inside == Inside::loop || (in_loop && type.inside == Inside::same));
    }
  }

  void globs(const SyntaxNode& step) {
    const SyntaxNode* list = step.find("pathPatterns");
    if (list == nullptr) return;
    for (const SyntaxNode& each : list->children) {
      const auto compiled = Glob::compile(each.text);
      if (!compiled) {
        wrong(Code::WORKFLOW_WRONG_VALUE, each.at, cat("the glob: ", compiled.error().message));
      }
    }
  }

  void graph(const SyntaxNode& steps) {
    std::map<std::string_view, std::size_t> places;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < steps.children.size(); ++i) {
      places.emplace(steps.children[i].text_of("id"), i);
      names.push_back(steps.children[i].text_of("id"));
    }
    std::vector<std::vector<std::size_t>> needs(steps.children.size());
    for (std::size_t i = 0; i < steps.children.size(); ++i) {
      const SyntaxNode* list = steps.children[i].find("dependencies");
      if (list == nullptr) continue;
      for (const SyntaxNode& each : list->children) {
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
  Ids ids_;
  StepChecks checks_;
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
