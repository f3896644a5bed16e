#include "workflow/expand/expand.h"

#include <algorithm>
#include <set>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "workflow/check/closed_sets.h"
#include "workflow/check/gate_carriers.h"
#include "workflow/check/shapes.h"
#include "workflow/expand/foreign.h"
#include "workflow/expand/prompt_text.h"
#include "workflow/expand/used_features.h"
#include "workflow/read/normalise.h"
#include "workflow/read/read.h"
#include "workflow/text/expression.h"

namespace baton::workflow {
namespace {

/// Moves every place below `node` to `at`: what a template injects was asked for there.
void place_at(SyntaxNode& node, const SourcePlace& at) {
  node.at = at;
  node.key_at = at;
  for (SyntaxNode& child : node.children) place_at(child, at);
}

/// Puts arguments into the strings below `node`: `${name}`, and expressions that are the argument's
/// name alone. Arguments are text here, never parsed again.
class Substitution {
 public:
  explicit Substitution(const SyntaxNode* args) {
    if (args == nullptr) return;
    for (const SyntaxNode& each : args->children) {
      values_[each.key] = each.is_text() ? each.text : json::print(each.to_json());
    }
  }

  void apply(SyntaxNode& node) const {
    if (values_.empty()) return;
    if (node.is_text()) node.text = applied(node.text);
    for (SyntaxNode& child : node.children) apply(child);
  }

 private:
  std::string applied(std::string_view text) const {
    std::string out;
    const Scanned scanned = scan_expressions(text);
    std::size_t at = 0;
    for (const Expression& each : scanned.expressions) {
      out += plain(text.substr(at, each.begin - at));
      const auto path = plain_path(each.code);
      const bool named =
          path && (path->size() == 1 || (path->size() == 2 && path->at(0) == "inputs"));
      const auto found = named ? values_.find(path->back()) : values_.end();
      if (found != values_.end())
        out += found->second;
      else
        out += text.substr(each.begin, each.end - each.begin);
      at = each.end;
    }
    return out + plain(text.substr(at));
  }

  std::string plain(std::string_view text) const {
    std::string out;
    while (!text.empty()) {
      const std::size_t open = text.find("${");
      const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
      if (close == std::string_view::npos) break;
      const auto found = values_.find(text.substr(open + 2, close - open - 2));
      out += text.substr(0, open);
      out += found == values_.end() ? text.substr(open, close - open + 1) : found->second;
      text.remove_prefix(close + 1);
    }
    return out += text;
  }

  std::map<std::string, std::string, std::less<>> values_;
};

/// What the texts and keys below a node take, about.
std::size_t bytes_of(const SyntaxNode& node) {
  std::size_t bytes = node.text.size() + node.key.size() + 8;
  for (const SyntaxNode& child : node.children) bytes += bytes_of(child);
  return bytes;
}

/// `- key: text` lines by key: what a text says must not depend on the order of keys.
std::string lines_by_name(const SyntaxNode& map) {
  std::map<std::string_view, std::string_view> sorted;
  for (const SyntaxNode& each : map.children) sorted[each.key] = each.text;
  std::string out;
  for (const auto& [name, text] : sorted) out += cat("\n- ", name, ": ", text);
  return out;
}

class Expander {
 public:
  Expander(const Library& library, Diagnostics& diagnostics)
      : library_(library), diagnostics_(diagnostics) {}

  Expanded run(WorkflowDocument& main) {
    tasks_ = SyntaxNode::object(main.root.at);
    if (is_routine(main)) show_arguments(main);
    stack_.push_back(main.id);
    // Out of the document while they are expanded: their steps look into the rest of it.
    std::optional<SyntaxNode> steps = main.root.take("steps");
    std::optional<SyntaxNode> handling = main.root.take("error_handling");
    if (steps) block(*steps, main, "");
    if (handling) {
      if (SyntaxNode* failure = handling->find("on_failure")) block(*failure, main, "");
    }
    tasks_of(main, "");
    imports(main);
    Expanded out;
    out.root = std::move(main.root);
    if (steps) out.root.append(*std::move(steps));
    if (handling) out.root.append(*std::move(handling));
    probes(out.root);
    opening(out.root, main);
    out.tasks = std::move(tasks_);
    out.provenance = std::move(provenance_);
    return out;
  }

 private:
  void came_from(const SyntaxNode& step, std::string from, const SourcePlace& at) {
    provenance_.push_back({std::string(step.text_of("id")), std::move(from), at});
  }

  bool count(const SourcePlace& at) {
    if (++steps_ <= limits::workflow_steps_max) return true;
    if (steps_ == limits::workflow_steps_max + 1) {
      diagnostics_.error(Code::LIMIT_EXCEEDED, at,
                         cat("more than ", limits::workflow_steps_max, " steps in one workflow"));
    }
    return false;
  }

  void prefix(SyntaxNode& step, const std::string& prefix_text) {
    if (prefix_text.empty()) return;
    if (SyntaxNode* id = step.find("id")) id->text = prefix_text + id->text;
    if (SyntaxNode* needs = step.find("dependencies")) {
      for (SyntaxNode& each : needs->children) each.text = prefix_text + each.text;
    }
    if (SyntaxNode* task = step.find("sub_agent_task")) task->text = prefix_text + task->text;
  }

  /// Expands the steps of a block in place. `prefix_text` goes before every id in it.
  void block(SyntaxNode& steps, const WorkflowDocument& document, const std::string& prefix_text) {
    take_named_bodies(steps);
    std::vector<SyntaxNode> out;
    out.reserve(steps.children.size());
    for (SyntaxNode& each : steps.children) {
      if (!each.is_object() || !count(each.at)) continue;
      prefix(each, prefix_text);
      one(each, document, prefix_text, out);
    }
    steps.children = std::move(out);
  }

  /// A loop may name a step of its own block as its body; the step moves there. Where several loops
  /// name one, each but the first gets a copy, with the loop's id before its own.
  void take_named_bodies(SyntaxNode& steps) {
    if (steps.children.size() > limits::workflow_steps_max) return;  // it is rejected anyway
    std::set<std::string> taken;
    for (SyntaxNode& loop : steps.children) {
      SyntaxNode* body = loop.find("body");
      if (body == nullptr || !body->is_text()) continue;
      const std::string name = body->text;
      const SourcePlace at = body->at;
      const auto named = std::ranges::find_if(
          steps.children, [&](const SyntaxNode& each) { return each.text_of("id") == name; });
      if (named == steps.children.end() || &*named == &loop) {
        diagnostics_.error(Code::WORKFLOW_UNKNOWN_NAME, at,
                           cat("there is no step \"", name, "\" beside this loop"));
        loop.erase("body");
        continue;
      }
      SyntaxNode copy = *named;
      if (!taken.insert(name).second) copy.find("id")->text = cat(loop.text_of("id"), '.', name);
      SyntaxNode list = SyntaxNode::array(at);
      list.append(std::move(copy));
      loop.set("body", std::move(list));
    }
    std::erase_if(steps.children, [&](const SyntaxNode& step) {
      return step.has("id") && taken.contains(std::string(step.text_of("id")));
    });
  }

  /// Moves the step to the end of `out`, with the steps it expands to.
  void one(SyntaxNode& step, const WorkflowDocument& document, const std::string& prefix_text,
           std::vector<SyntaxNode>& out) {
    const std::string type(step.text_of("type"));
    if (type == "template_call") return template_call(step, document, out);
    // In YAML its keys are words of a native file.
    const bool is_workrail = document.dialect == Dialect::workrail && document.is_json;
    if (is_workrail) settle_as_workrail(step, document, diagnostics_);
    if (type == "include_workflow") include(step);
    if (type == "parallel") delegate(step, is_workrail);
    const bool has_functions = step.has("functionDefinitions") && step.has("body");
    if (has_functions) loops_.push_back(&step);
    for (const std::string_view key : block_keys()) {
      if (type == "include_workflow") break;
      SyntaxNode* inner = step.find(key);
      if (inner != nullptr && inner->is_array()) block(*inner, document, prefix_text);
    }
    if (has_functions) loops_.pop_back();
    if (type != "prompt") {
      std::optional<SyntaxNode> behind = synthesis(step);
      out.push_back(std::move(step));
      if (behind) out.push_back(*std::move(behind));
      return;
    }
    add_features(step, document);
    bind(step, document);
    std::vector<SyntaxNode> behind = virtual_steps(step);
    compose_prompt(step, {document.root, loops_}, library_, diagnostics_);
    out.push_back(std::move(step));
    for (SyntaxNode& each : behind) out.push_back(std::move(each));
  }

  // --- templates and routines -------------------------------------------------------------------

  void template_call(const SyntaxNode& step, const WorkflowDocument& document,
                     std::vector<SyntaxNode>& out) {
    report_lost_keys(step, diagnostics_);
    const SyntaxNode* call = step.find("templateCall");
    const SyntaxNode& owner = call == nullptr ? step : *call;
    const SyntaxNode* name = owner.find("templateId");
    if (name == nullptr) {
      diagnostics_.error(Code::WORKFLOW_MISSING_KEY, step.at,
                         "a template_call step needs \"templateId\"");
      return;
    }
    const SyntaxNode* args = owner.find("args");
    const std::string inner = cat(step.text_of("id"), '.');
    if (const Template* found = find_builtin(templates(), bare_name(name->text, "templates"))) {
      check_arguments(*found, args, *name);
      splice(template_steps(*found, args, name->at), document, inner, step,
             cat("template ", found->id), out);
      return;
    }
    const WorkflowDocument* routine = nullptr;
    for (const std::string& each : routine_names(name->text)) {
      if (routine == nullptr) routine = library_.find(each);
    }
    if (routine == nullptr) {
      std::vector<std::string_view> names;
      for (const Template& each : templates()) names.push_back(each.id);
      diagnostics_.error(Code::WORKFLOW_UNKNOWN_NAME, name->at,
                         cat("there is no template or routine \"", name->text, '"'),
                         did_you_mean(bare_name(name->text, "templates"), names));
      return;
    }
    if (!enter(routine->id, name->at, bytes_of(routine->root))) return;
    if (const SyntaxNode* steps = routine->root.find("steps")) {
      SyntaxNode copy = *steps;
      if (routine->dialect == Dialect::workrail) {
        put_workrail_arguments(copy, args, *name, routine->root, diagnostics_);
      } else {
        Substitution(args).apply(copy);
      }
      splice(std::move(copy), *routine, inner, step, cat("routine ", routine->id), out);
    }
    stack_.pop_back();
  }

  void check_arguments(const Template& found, const SyntaxNode* args, const SyntaxNode& name) {
    for (const std::string_view each : found.arguments) {
      if (args != nullptr && args->has(each)) continue;
      diagnostics_.error(Code::WORKFLOW_MISSING_KEY, name.at,
                         cat("the template ", found.id, " needs the argument \"", each, '"'));
    }
    if (args == nullptr) return;
    for (const SyntaxNode& each : args->children) {
      if (std::ranges::find(found.arguments, each.key) != found.arguments.end()) continue;
      diagnostics_.error(Code::WORKFLOW_UNKNOWN_KEY, each.key_at,
                         cat("the template ", found.id, " takes no argument \"", each.key, '"'),
                         did_you_mean(each.key, found.arguments));
    }
  }

  SyntaxNode template_steps(const Template& found, const SyntaxNode* args, const SourcePlace& at) {
    Diagnostics own;
    auto steps = read_yaml(found.steps, at, own);
    // The text is ours, and a test reads every one.
    ASSERT(steps.has_value());
    check_shape(*steps, shapes::steps, {Dialect::native, own});
    ASSERT(!own.has_errors());
    Substitution(args).apply(*steps);
    place_at(*steps, at);
    return *std::move(steps);
  }

  void splice(SyntaxNode steps, const WorkflowDocument& document, const std::string& prefix_text,
              const SyntaxNode& call, const std::string& from, std::vector<SyntaxNode>& out) {
    block(steps, document, prefix_text);
    for (std::size_t i = 0; i < steps.children.size(); ++i) {
      SyntaxNode& each = steps.children[i];
      came_from(each, from, call.at);
      const SyntaxNode* goal = call.find("goal");
      SyntaxNode* prompt = each.find("prompt");
      if (i == 0 && goal != nullptr && prompt != nullptr && prompt->is_text()) {
        prompt->text = cat(goal->text, "\n\n", prompt->text);
      }
      // What held for the call holds for each of its steps.
      const SyntaxNode* when = call.find("runCondition");
      if (when != nullptr && !each.has("runCondition")) {
        each.set("runCondition", *when);
      } else if (when != nullptr && call.has("delegation")) {
        each.set("runCondition", both_conditions(*when, *each.find("runCondition")));
      }
      const SyntaxNode* needs = call.find("dependencies");
      if (i == 0 && needs != nullptr && !each.has("dependencies")) each.set("dependencies", *needs);
      out.push_back(std::move(each));
    }
  }

  /// False, with the reason reported, when `id` cannot be expanded here: it is being expanded
  /// already, or it would make the workflow too deep or too large.
  bool enter(const std::string& id, const SourcePlace& at, std::size_t bytes = 0) {
    const auto found = std::ranges::find(stack_, id);
    if (found == stack_.end()) {
      copied_bytes_ += bytes;
      if (stack_.size() > limits::include_depth_max) {
        diagnostics_.error(Code::LIMIT_EXCEEDED, at,
                           cat("workflows are nested deeper than ", limits::include_depth_max));
        return false;
      }
      if (copied_bytes_ > limits::workflow_copied_bytes_max) {
        diagnostics_.error(
            Code::LIMIT_EXCEEDED, at,
            cat("what is included has more than ", limits::workflow_copied_bytes_max, " bytes"));
        return false;
      }
      stack_.push_back(id);
      return true;
    }
    std::string circle;
    for (auto each = found; each != stack_.end(); ++each) circle += cat(*each, " -> ");
    diagnostics_.error(Code::WORKFLOW_CYCLE, at,
                       cat("these workflows include each other: ", circle, id));
    return false;
  }

  // --- includes and tasks -----------------------------------------------------------------------

  void include(SyntaxNode& step) {
    const SyntaxNode* name = step.find("workflow");
    if (name == nullptr) return;
    const WorkflowDocument* found = library_.find(name->text);
    if (found == nullptr) {
      std::vector<std::string> names;
      for (const auto& [asked, each] : library_.workflows) names.push_back(each.id);
      diagnostics_.error(Code::WORKFLOW_UNKNOWN_NAME, name->at,
                         cat("there is no workflow \"", name->text, '"'),
                         names.empty() || did_you_mean(name->text, names).empty()
                             ? "it is looked for by its id, in the folders that `baton list` shows"
                             : did_you_mean(name->text, names));
      return;
    }
    if (!enter(found->id, name->at, bytes_of(found->root))) return;
    const std::string inner = cat(step.text_of("id"), '.');
    came_from(step, cat("include ", found->id), name->at);
    SyntaxNode frame = SyntaxNode::object(name->at);
    for (const std::string_view key : {"inputs", "default_state", "state_schema"}) {
      if (const SyntaxNode* part = found->root.find(key)) frame.set(key, *part);
    }
    step.set("frame", std::move(frame));
    if (const SyntaxNode* steps = found->root.find("steps")) {
      SyntaxNode copy = *steps;
      block(copy, *found, inner);
      step.set("steps", std::move(copy));
    }
    step.set("type", SyntaxNode::of_text("include", step.at));
    step.set("dialect", SyntaxNode::of_integer(static_cast<std::int64_t>(found->dialect), step.at));
    tasks_of(*found, inner);
    stack_.pop_back();
  }

  void tasks_of(const WorkflowDocument& document, const std::string& prefix_text) {
    const SyntaxNode* tasks = document.root.find("sub_agent_tasks");
    if (tasks == nullptr) return;
    for (const SyntaxNode& each : tasks->children) {
      const std::string name = prefix_text + each.key;
      if (!task_names_.insert(name).second) {
        diagnostics_.error(Code::WORKFLOW_DUPLICATE_ID, each.key_at,
                           cat("the task \"", name, "\" occurs twice"));
        continue;
      }
      SyntaxNode task = each;
      if (SyntaxNode* steps = task.find("steps")) block(*steps, document, "");
      task.key = name;
      tasks_.append(std::move(task));
    }
  }

  /// The tasks of imported files are usable as if they were in this file.
  void imports(const WorkflowDocument& document) {
    const SyntaxNode* list = document.root.find("imports");
    if (list == nullptr) return;
    for (const SyntaxNode& each : list->children) {
      const auto found = library_.workflows.find(each.text);
      if (found == library_.workflows.end()) {
        diagnostics_.error(Code::WORKFLOW_UNKNOWN_NAME, each.at,
                           cat("there is no file \"", each.text, "\" to import"),
                           "it is looked for beneath the folder of this file; the id of a workflow "
                           "may stand there, too");
        continue;
      }
      const std::string& key = found->second.id.empty() ? each.text : found->second.id;
      if (imported_.contains(each.text)) continue;
      if (!enter(key, each.at)) continue;
      imported_.insert(each.text);
      tasks_of(found->second, "");
      imports(found->second);
      stack_.pop_back();
    }
  }

  // --- what other systems write as one step -----------------------------------------------------

  /// A parallel step becomes one task per delegation, by number, and a synthesis behind them.
  void delegate(SyntaxNode& step, bool is_workrail) {
    SyntaxNode items = SyntaxNode::array(step.at);
    SyntaxNode steps = SyntaxNode::array(step.at);
    const SyntaxNode* list = step.find("parallelDelegations");
    for (std::size_t i = 0; list != nullptr && i < list->children.size(); ++i) {
      const SyntaxNode& each = list->children[i];
      SyntaxNode item = SyntaxNode::object(each.at);
      item.set("delegation", number_of(i, each.at));
      for (const std::string_view key : {"workflowId", "goal"}) {
        if (const SyntaxNode* text = each.find(key)) item.set(key, *text);
      }
      items.append(std::move(item));
      SyntaxNode work = delegated(each, is_workrail);
      work.set("id", SyntaxNode::of_text(cat("delegate-", i + 1), each.at));
      work.set("runCondition", delegate_condition(each, i));
      steps.append(std::move(work));
    }
    step.erase("parallelDelegations");
    step.set("items", std::move(items));
    step.set("steps", std::move(steps));
    step.set("type", SyntaxNode::of_text("parallel_foreach", step.at));
  }

  static SyntaxNode number_of(std::size_t index, const SourcePlace& at) {
    return SyntaxNode::of_integer(static_cast<std::int64_t>(index + 1), at);
  }

  /// The steps of the routine that a delegation names. WorkRail does not look for it: there an
  /// unknown one is work that the sub-agent is told by name.
  SyntaxNode delegated(const SyntaxNode& delegation, bool is_workrail) {
    const SourcePlace& at = delegation.at;
    const std::string_view name = delegation.text_of("workflowId");
    std::string text = delegation.has("goal") ? cat("Goal: ", delegation.text_of("goal")) : "";
    if (const SyntaxNode* tools = delegation.find("allowedTools")) {
      std::string list;
      for (const SyntaxNode& each : tools->children) {
        list += cat(list.empty() ? "" : ", ", each.text);
      }
      text += cat(text.empty() ? "" : "\n\n", "Use only these tools: ", list, '.');
    }
    const SyntaxNode* mapping = delegation.find("contextMapping");
    const SyntaxNode* args = delegation.find("args");
    SyntaxNode work = SyntaxNode::object(at);
    if (is_routine_known(name)) {
      SyntaxNode call = SyntaxNode::object(at);
      call.set("templateId", *delegation.find("workflowId"));
      SyntaxNode given = args == nullptr ? SyntaxNode::object(at) : *args;
      for (std::size_t i = 0; mapping != nullptr && i < mapping->children.size(); ++i) {
        const SyntaxNode& each = mapping->children[i];
        if (given.has(each.text)) continue;
        given.set(each.text, SyntaxNode::of_text(cat("{{ ", each.key, " }}"), each.at));
      }
      call.set("args", std::move(given));
      work.set("delegation", SyntaxNode::of_text(std::string(name), at));
      work.set("type", SyntaxNode::of_text("template_call", at));
      work.set("templateCall", std::move(call));
      if (!text.empty()) work.set("goal", SyntaxNode::of_text(std::move(text), at));
      return work;
    }
    tell_unknown(name, *delegation.find("workflowId"), is_workrail);
    text = cat("Carry out the workflow \"", name, "\".", text.empty() ? "" : "\n\n", text);
    if (args != nullptr) text += cat("\n\nGiven:", lines_by_name(*args));
    if (mapping != nullptr) text += cat("\n\nFrom the context:", mapped_context(*mapping));
    work.set("type", SyntaxNode::of_text("prompt", at));
    work.set("title", SyntaxNode::of_text(cat("Carry out ", name), at));
    work.set("prompt", SyntaxNode::of_text(std::move(text), at));
    return work;
  }

  bool is_routine_known(std::string_view name) const {
    if (find_builtin(templates(), bare_name(name, "templates")) != nullptr) return true;
    return std::ranges::any_of(routine_names(name), [&](const std::string& each) {
      return library_.find(each) != nullptr;
    });
  }

  void tell_unknown(std::string_view name, const SyntaxNode& where, bool is_workrail) {
    std::string message = cat("there is no workflow or routine \"", name, '"');
    if (is_workrail) {
      diagnostics_.warning(Code::WORKFLOW_UNKNOWN_NAME, where.at,
                           cat(message, "; its sub-agent is only told the name"));
    } else {
      diagnostics_.error(Code::WORKFLOW_UNKNOWN_NAME, where.at, std::move(message),
                         "`baton list` shows the workflows and routines that can be found");
    }
  }

  static SyntaxNode both_conditions(const SyntaxNode& one, const SyntaxNode& other) {
    SyntaxNode both = SyntaxNode::array(one.at);
    for (const SyntaxNode* each : {&one, &other}) {
      SyntaxNode copy = *each;
      copy.key.clear();
      both.append(std::move(copy));
    }
    SyntaxNode out = SyntaxNode::object(one.at);
    out.set("and", std::move(both));
    return out;
  }

  static SyntaxNode delegate_condition(const SyntaxNode& delegation, std::size_t index) {
    SyntaxNode mine = SyntaxNode::object(delegation.at);
    mine.set("var", SyntaxNode::of_text("item.delegation", delegation.at));
    mine.set("equals", number_of(index, delegation.at));
    const SyntaxNode* when = delegation.find("runCondition");
    return when == nullptr ? mine : both_conditions(mine, *when);
  }

  /// What follows a step from the same lines is left out where the step is.
  static void guard_like(const SyntaxNode& step, SyntaxNode& made) {
    if (const SyntaxNode* when = step.find("runCondition")) made.set("runCondition", *when);
  }

  /// The step behind a parallel one that brings the answers together.
  std::optional<SyntaxNode> synthesis(SyntaxNode& step) {
    const SyntaxNode* found = step.find("synthesis");
    if (found == nullptr) return std::nullopt;
    std::string text(found->text_of("prompt"));
    if (text.empty()) text = "Bring the answers of the delegations together, and check them.";
    SyntaxNode made = SyntaxNode::object(found->at);
    const std::string id(step.text_of("id"));
    made.set("id", SyntaxNode::of_text(id + ".synthesis", found->at));
    made.set("type", SyntaxNode::of_text("prompt", found->at));
    made.set("prompt", SyntaxNode::of_text(std::move(text), found->at));
    if (const SyntaxNode* contract = found->find("outputContract"))
      made.set("outputContract", *contract);
    guard_like(step, made);
    came_from(made, cat("synthesis of ", id), found->at);
    step.erase("synthesis");
    return made;
  }

  /// The steps that audit and verification expand to, after their step.
  std::vector<SyntaxNode> virtual_steps(SyntaxNode& step) {
    std::vector<SyntaxNode> out;
    if (!step.has("audit") && !step.has("verification")) return out;
    const std::string id(step.text_of("id"));
    if (const SyntaxNode* audit = step.find("audit")) {
      std::string text(audit->text_of("prompt"));
      if (text.empty()) text = "Audit what the previous step produced, and fix what is wrong.";
      if (const SyntaxNode* rubric = audit->find("rubric")) {
        text += "\n\nJudge it by:";
        for (const SyntaxNode& each : rubric->children) text += cat("\n- ", each.text);
      }
      SyntaxNode made = SyntaxNode::object(audit->at);
      made.set("id", SyntaxNode::of_text(id + ".audit", audit->at));
      made.set("type", SyntaxNode::of_text("prompt", audit->at));
      made.set("prompt", SyntaxNode::of_text(std::move(text), audit->at));
      guard_like(step, made);
      came_from(made, cat("audit of ", id), audit->at);
      out.push_back(std::move(made));
    }
    if (const SyntaxNode* verification = step.find("verification")) {
      std::string text(verification->text_of("prompt"));
      if (text.empty()) text = "Verify what the step before has produced.";
      if (verification->has("command")) {
        text += cat("\n\nRun this command and report what it prints:\n\n    ",
                    verification->text_of("command"));
      }
      SyntaxNode made = SyntaxNode::object(verification->at);
      made.set("id", SyntaxNode::of_text(id + ".verification", verification->at));
      made.set("type", SyntaxNode::of_text("prompt", verification->at));
      made.set("prompt", SyntaxNode::of_text(std::move(text), verification->at));
      guard_like(step, made);
      came_from(made, cat("verification of ", id), verification->at);
      out.push_back(std::move(made));
    }
    step.erase("audit");
    step.erase("verification");
    return out;
  }

  // --- features, bindings, probes, opening ------------------------------------------------------

  /// The document's features in the order of their ids. Looked at once for all its steps.
  const std::vector<UsedFeature>& features_of(const WorkflowDocument& document) {
    const auto [known, is_new] = features_.try_emplace(&document);
    if (is_new) known->second = used_features(document.root, diagnostics_);
    return known->second;
  }

  void add_features(SyntaxNode& step, const WorkflowDocument& document) {
    // Unknown features are reported also where no step could take them.
    const std::vector<UsedFeature>& all = features_of(document);
    for (const UsedFeature& each : all) relax_contract(each, step);
    SyntaxNode* blocks = step.find("promptBlocks");
    if (blocks == nullptr) return;
    for (const UsedFeature& each : all) {
      add_line(*blocks, "constraints", constraint_of(each));
      add_line(*blocks, "verify", verify_of(each));
      came_from(step, cat("feature ", each.feature->id), step.at);
    }
  }

  static void add_line(SyntaxNode& blocks, std::string_view key, std::string_view text) {
    if (text.empty()) return;
    if (!blocks.has(key)) blocks.set(key, SyntaxNode::array(blocks.at));
    blocks.find(key)->append(SyntaxNode::of_text(std::string(text), blocks.at));
  }

  /// `{{wr.bindings.slot}}` becomes the name of the routine that is bound there.
  void bind(SyntaxNode& node, const WorkflowDocument& document) {
    const SyntaxNode* slots = document.root.find("extensionPoints");
    if (node.is_text() && node.text.find(".bindings.") != std::string::npos) {
      node.text = bound(node, slots);
    }
    for (SyntaxNode& child : node.children) bind(child, document);
  }

  /// Of several with one name the last counts.
  const SyntaxNode* slot_named(const SyntaxNode* slots, std::string_view name) {
    if (slots == nullptr) return nullptr;
    const auto [known, is_new] = slots_.try_emplace(slots);
    if (is_new) {
      for (const SyntaxNode& each : slots->children) known->second[each.text_of("slotId")] = &each;
    }
    const auto found = known->second.find(name);
    return found == known->second.end() ? nullptr : found->second;
  }

  std::string bound(const SyntaxNode& node, const SyntaxNode* slots) {
    std::string out;
    std::size_t at = 0;
    for (const Expression& each : scan_expressions(node.text).expressions) {
      const auto path = plain_path(each.code);
      if (!path || path->size() != 3 || path->at(1) != "bindings" ||
          (path->at(0) != "wr" && path->at(0) != "baton")) {
        continue;
      }
      out += std::string_view(node.text).substr(at, each.begin - at);
      at = each.end;
      const auto project = library_.bindings.find(path->at(2));
      const SyntaxNode* slot = slot_named(slots, path->at(2));
      if (slot == nullptr) {
        diagnostics_.error(Code::WORKFLOW_UNKNOWN_NAME, node.at,
                           cat("there is no extension point \"", path->at(2), '"'),
                           "declare it under extensionPoints");
        continue;
      }
      out += project == library_.bindings.end() ? slot->text_of("default")
                                                : std::string_view(project->second);
    }
    return out += std::string_view(node.text).substr(at);
  }

  /// A capability that is required is probed before anything else.
  void probes(SyntaxNode& root) {
    const SyntaxNode* wanted = root.find("capabilities");
    SyntaxNode* steps = root.find("steps");
    if (wanted == nullptr || steps == nullptr) return;
    Diagnostics reported;  // where the features were first looked at
    const bool in_prompt = asks_for_probes_in_prompts(used_features(root, reported));
    if (in_prompt) return;
    std::vector<SyntaxNode> made;
    for (const Builtin& capability : capabilities()) {
      const SyntaxNode* found = wanted->find(capability.id);
      if (found == nullptr || found->text != "required") continue;
      const SyntaxNode& each = *found;
      SyntaxNode args = SyntaxNode::object(each.at);
      args.set("capability", SyntaxNode::of_text(each.key, each.at));
      const Template* probe = find_builtin(templates(), "capability_probe");
      SyntaxNode list = template_steps(*probe, &args, each.at);
      WorkflowDocument none;
      block(list, none, cat(each.key, '.'));
      for (SyntaxNode& step : list.children) {
        came_from(step, cat("capability ", each.key), each.at);
        made.push_back(std::move(step));
      }
    }
    for (SyntaxNode& step : steps->children) made.push_back(std::move(step));
    steps->children = std::move(made);
  }

  /// What holds for the whole run is read before the first step's work.
  void opening(SyntaxNode& root, const WorkflowDocument& main) {
    SyntaxNode* steps = root.find("steps");
    if (steps == nullptr || steps->children.empty()) return;
    const std::string text = with_plain_braces(opening_text(root), main);
    SyntaxNode& first = steps->children.front();
    if (text.empty() || first.text_of("type") != "prompt") return;
    SyntaxNode* prompt = first.find("prompt");
    if (prompt != nullptr) prompt->text = cat(text, "\n\n---\n\n", prompt->text);
  }

  const Library& library_;
  Diagnostics& diagnostics_;
  std::vector<std::string> stack_;        // documents being expanded
  std::vector<const SyntaxNode*> loops_;  // with functions of their own, around the step
  std::set<std::string> imported_;
  std::vector<StepOrigin> provenance_;
  SyntaxNode tasks_;
  std::set<std::string> task_names_;
  // Of documents, which stay where they are.
  std::map<const WorkflowDocument*, std::vector<UsedFeature>> features_;
  std::map<const SyntaxNode*, std::map<std::string_view, const SyntaxNode*>>
      slots_;  // by their list and name
  std::size_t steps_ = 0;
  std::size_t copied_bytes_ = 0;
};

}  // namespace

Expanded expand(WorkflowDocument& main, const Library& library, Diagnostics& diagnostics) {
  return Expander(library, diagnostics).run(main);
}

}  // namespace baton::workflow
