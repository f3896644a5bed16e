#include "workflow/check/check_names.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text/text.h"
#include "workflow/check/check_steps.h"
#include "workflow/check/members.h"
#include "workflow/check/what_to_type.h"
#include "workflow/check/word_set.h"
#include "workflow/lower/frame.h"
#include "workflow/read/places.h"
#include "workflow/text/shell_lexer.h"

namespace baton::workflow {
namespace {

/// Scopes and what a step's result brings.
constexpr WordSet scope_names("this", "global", "inputs", "raw", "state", "computed", "result",
                              "error", "applied_count", "workflow_id", "input", "output", "wr",
                              "baton");
constexpr std::string_view loop_names[] = {"item", "index", "loop"};
constexpr std::string_view task_names[] = {"item",    "index",    "loop",          "total",
                                           "task_id", "batch_id", "parent_step_id"};

/// Keys whose strings are not templates.
constexpr WordSet plain_keys("id", "type", "dependencies", "tags", "pathPatterns", "outputContract",
                             "variable_name", "index_name", "tools", "agent", "frame", "workflow",
                             "sub_agent_task", "expected_response", "validation", "assessmentRefs",
                             "assessmentConsequences", "operation", "strategy", "output_format",
                             "execution_context", "sandbox", "format", "input_type",
                             "nonAssumableChoice", "pattern", "schema", "contractRef",
                             "message_type");

/// Keys whose whole string is one expression.
constexpr WordSet code_keys("condition", "runCondition", "items", "when");

/// A field that a file uses and does not declare.
struct Assumed {
  const SyntaxNode* owner = nullptr;  // whose state it is
  std::string tier;
  std::string name;
  bool operator==(const Assumed&) const = default;
};

class Checker {
 public:
  const std::vector<Assumed>& assumed() const { return assumed_; }

  Checker(const Expanded& expanded, const Sources& sources, Diagnostics& diagnostics)
      : expanded_(expanded), places_(sources), diagnostics_(diagnostics) {}

  std::vector<FoundExpression> run(Dialect dialect) {
    const NameScope frame = with_includes(frame_of(expanded_.root, dialect), expanded_.root);
    root_ = &frame;
    declarations(expanded_.root, frame);
    if (const SyntaxNode* steps = expanded_.root.find("steps")) block(*steps, frame, {});
    if (const SyntaxNode* handling = expanded_.root.find("error_handling")) {
      if (const SyntaxNode* steps = handling->find("on_failure")) block(*steps, frame, {});
      const SyntaxNode* collection = handling->find("error_collection");
      const SyntaxNode* path = collection == nullptr ? nullptr : collection->find("state_path");
      if (path != nullptr) written(*path, frame);
    }
    for (const SyntaxNode& task : expanded_.tasks.children) this->task(task, frame);
    root_ = nullptr;
    return std::move(found_);
  }

 private:
  using Locals = std::vector<std::string>;

  static void add_includes(NameScope& frame, const SyntaxNode& steps) {
    for (const SyntaxNode& step : steps.children) {
      if (expanded_type(step).inside == Inside::frame && step.has("frame")) {
        frame.includes.insert(std::string(step.text_of("id")));
        const SyntaxNode* own = step.find("frame");
        const SyntaxNode* schema = own == nullptr ? nullptr : own->find("state_schema");
        const SyntaxNode* computed = schema == nullptr ? nullptr : schema->find("computed");
        if (computed == nullptr) continue;
        for (const SyntaxNode& field : computed->children) frame.includes.insert(field.key);
        continue;
      }
      for (const std::string_view key : block_keys()) {
        const SyntaxNode* inner = step.find(key);
        if (inner != nullptr) add_includes(frame, *inner);
      }
    }
  }

  static NameScope with_includes(NameScope frame, const SyntaxNode& owner) {
    if (const SyntaxNode* steps = owner.find("steps")) add_includes(frame, *steps);
    return frame;
  }

  // --- declarations -----------------------------------------------------------------------------

  void declarations(const SyntaxNode& owner, const NameScope& frame) {
    if (const SyntaxNode* defaults = owner.find("default_state")) {
      strings(*defaults, frame, {"item"});
    }
    const SyntaxNode* schema = owner.find("state_schema");
    if (schema == nullptr) return;
    for (const SyntaxNode& tier : schema->children) {
      for (const SyntaxNode& field : tier.children) {
        if (scope_names.contains(field.key) || std::ranges::count(loop_names, field.key) > 0) {
          diagnostics_.error(Code::WORKFLOW_RESERVED_NAME, field.key_at,
                             cat("\"", field.key, "\" is the name of a scope"));
        }
        collision(tier.key, field, frame);
      }
    }
    if (const SyntaxNode* computed = schema->find("computed")) this->computed(*computed, frame);
  }

  /// A field is told of the tiers that hide it or that it hides, once each.
  void collision(std::string_view tier, const SyntaxNode& field, const NameScope& frame) {
    const auto warn = [&](std::string_view other) {
      diagnostics_.warning(
          Code::WORKFLOW_NAME_COLLISION, field.key_at,
          cat("\"", field.key, "\" is a field of ", tier, " and of ", other,
              "; its bare name means the one of ", tier == "computed" ? tier : other));
    };
    if (tier == "computed" && frame.raw.contains(field.key)) warn("raw");
    if (tier == "computed" && frame.state.contains(field.key)) warn("state");
    if (tier == "state" && frame.raw.contains(field.key)) warn("raw");
  }

  void computed(const SyntaxNode& fields, const NameScope& frame) {
    for (const SyntaxNode& field : fields.children) {
      if (const SyntaxNode* from = field.find("from")) {
        if (from->is_text()) read_path(*from, frame);
        for (const SyntaxNode& each : from->children) read_path(each, frame);
      }
      for (const std::string_view key : {"transform", "validate"}) {
        const SyntaxNode* code = field.find(key);
        if (code == nullptr) continue;
        if (code->is_text()) {
          found_.push_back(
              {code->at, code->text, ExpressionFilter::none, false, key == "transform"});
        }
        names(*code, code->text, frame, {});
      }
    }
    circle(fields);
  }

  void read_path(const SyntaxNode& path, const NameScope& frame) {
    if (!plain_path(path.text)) {
      diagnostics_.error(Code::WORKFLOW_BAD_STATE_PATH, path.at,
                         cat("\"", path.text, "\" is not a path"), "write names with dots between");
      return;
    }
    names(path, path.text, frame, {});
  }

  void circle(const SyntaxNode& fields) {
    const std::vector<std::vector<std::size_t>> needs = needs_of(fields);
    const std::vector<std::size_t> found = find_circle(needs);
    if (found.empty()) return;
    std::string text;
    for (const std::size_t each : found) text += cat(fields.children[each].key, " -> ");
    const SyntaxNode& first = fields.children[found.front()];
    diagnostics_.error(Code::WORKFLOW_CYCLE, first.key_at,
                       cat("these computed fields depend on each other: ", text, first.key));
  }

 public:
  /// For each computed field, those that it is computed from, as indexes.
  static std::vector<std::vector<std::size_t>> needs_of(const SyntaxNode& fields) {
    std::map<std::string_view, std::size_t> by_name;
    for (std::size_t i = 0; i < fields.children.size(); ++i) by_name[fields.children[i].key] = i;
    std::vector<std::vector<std::size_t>> out;
    for (const SyntaxNode& field : fields.children) out.push_back(needs_of(field, by_name));
    return out;
  }

 private:
  static std::vector<std::size_t> needs_of(const SyntaxNode& field,
                                           const std::map<std::string_view, std::size_t>& by_name) {
    std::vector<std::size_t> out;
    const auto add = [&](const SyntaxNode& path) {
      auto segments = plain_path(path.text);
      if (!segments) return;
      const bool scoped =
          segments->size() > 1 && (segments->at(0) == "computed" || segments->at(0) == "this");
      const bool other_tier = segments->at(0) == "raw" || segments->at(0) == "state" ||
                              segments->at(0) == "inputs" || segments->at(0) == "global";
      if (other_tier) return;
      const std::string_view name = segments->at(scoped ? 1 : 0);
      if (const auto found = by_name.find(name); found != by_name.end()) {
        out.push_back(found->second);
      }
    };
    const SyntaxNode* from = field.find("from");
    if (from == nullptr) return out;
    if (from->is_text()) add(*from);
    for (const SyntaxNode& each : from->children) add(each);
    return out;
  }

  // --- steps ------------------------------------------------------------------------------------

  void task(const SyntaxNode& task, const NameScope& parent) {
    const bool isolated = task.has("default_state") || task.has("state_schema");
    NameScope frame = isolated ? frame_of(task, parent.dialect) : parent;
    if (const SyntaxNode* inputs = task.find("inputs")) {
      for (const SyntaxNode& each : inputs->children) frame.inputs.insert(each.key);
    }
    frame = with_includes(std::move(frame), task);
    if (isolated) declarations(task, frame);
    const Locals locals(std::begin(task_names), std::end(task_names));
    if (const SyntaxNode* steps = task.find("steps")) block(*steps, frame, locals);
    for (const std::string_view key : {"prompt_template", "context_template"}) {
      if (const SyntaxNode* text = task.find(key)) strings(*text, frame, locals);
    }
    if (const SyntaxNode* handling = task.find("error_handling")) {
      if (const SyntaxNode* steps = handling->find("cleanup_on_error"))
        block(*steps, frame, locals);
    }
  }

  void block(const SyntaxNode& steps, const NameScope& frame, const Locals& locals) {
    for (const SyntaxNode& step : steps.children) one(step, frame, locals);
  }

  /// The caret stands at the value that a shell cannot be given.
  void commands(const SyntaxNode& step) {
    for (const std::string_view key : {"command", "undo"}) {
      const SyntaxNode* command = step.find(key);
      if (command == nullptr || !command->is_text()) continue;
      for (const ShellProblem& each : lower_shell(command->text).problems) {
        std::string_view slot = std::string_view(command->text).substr(each.at);
        slot = slot.substr(0, std::min(slot.find("}}"), slot.size() - 2) + 2);
        diagnostics_.error(Code::WORKFLOW_UNSAFE_SHELL, places_.find(*command, slot), each.message,
                           "give it an argument of its own, or use argv");
      }
    }
  }

  void one(const SyntaxNode& step, const NameScope& frame, const Locals& locals) {
    commands(step);
    for (const SyntaxNode& child : step.children) {
      if (plain_keys.contains(child.key)) continue;
      if (std::ranges::find(block_keys(), child.key) != block_keys().end() && child.is_array()) {
        continue;
      }
      strings(child, frame, locals);
    }
    if (const SyntaxNode* updates = step.find("updates")) {
      for (const SyntaxNode& each : updates->children) {
        if (const SyntaxNode* path = each.find("path")) written(*path, frame);
      }
    }
    if (const SyntaxNode* update = step.find("error_state_update")) {
      if (const SyntaxNode* path = update->find("path")) written(*path, frame);
    }
    if (const SyntaxNode* errors = step.find("on_sub_agent_error")) {
      if (const SyntaxNode* path = errors->find("error_state_path")) written(*path, frame);
    }
    inner(step, frame, locals);
  }

  void inner(const SyntaxNode& step, const NameScope& frame, const Locals& locals) {
    const Inside inside = expanded_type(step).inside;
    if (inside == Inside::frame) {
      const SyntaxNode* own = step.find("frame");
      const SyntaxNode* steps = step.find("steps");
      if (own == nullptr || steps == nullptr) return;
      const SyntaxNode* dialect = step.find("dialect");
      NameScope nested = frame_of(
          *own, dialect == nullptr ? frame.dialect : static_cast<Dialect>(dialect->integer));
      add_includes(nested, *steps);
      declarations(*own, nested);
      for (const std::string& name : nested.computed) {
        if (frame.raw.contains(name) || frame.state.contains(name) ||
            frame.computed.contains(name)) {
          diagnostics_.warning(Code::WORKFLOW_NAME_COLLISION, step.at,
                               cat("the computed field \"", name, "\" of the included workflow is ",
                                   "hidden by a field of this workflow"),
                               cat("read it as ", step.text_of("id"), '.', name));
        }
      }
      block(*steps, nested, {});
      return;
    }
    const bool has_rounds = inside == Inside::loop || inside == Inside::task;
    blocks(step, frame, has_rounds ? loop_locals(step, inside, locals) : locals);
  }

  static Locals loop_locals(const SyntaxNode& step, Inside inside, Locals more) {
    more.insert(more.end(), std::begin(loop_names), std::end(loop_names));
    if (inside == Inside::task) {
      more.insert(more.end(), std::begin(task_names), std::end(task_names));
    }
    for (const std::string_view key : {"variable_name", "index_name"}) {
      if (step.has(key)) more.emplace_back(step.text_of(key));
    }
    if (const SyntaxNode* config = step.find("loop")) {
      for (const std::string_view key : {"iterationVar", "itemVar", "indexVar"}) {
        if (config->has(key)) more.emplace_back(config->text_of(key));
      }
      for (const std::string_view name : {"currentIteration", "currentItem", "currentIndex"}) {
        more.emplace_back(name);
      }
    }
    return more;
  }

  void blocks(const SyntaxNode& step, const NameScope& frame, const Locals& locals) {
    for (const std::string_view key : block_keys()) {
      const SyntaxNode* steps = step.find(key);
      if (steps != nullptr && steps->is_array()) block(*steps, frame, locals);
    }
  }

  // --- texts ------------------------------------------------------------------------------------

  void strings(const SyntaxNode& node, const NameScope& frame, const Locals& locals) {
    if (node.is_text()) {
      text(node, frame, locals);
      return;
    }
    if (node.key == "loop" && node.is_object()) {
      for (const SyntaxNode& child : node.children) {
        // In a loop object `items` and `count` name a variable of the context.
        const bool code = child.key == "condition" && child.is_text();
        if (code) text(child, frame, locals);
      }
      return;
    }
    for (const SyntaxNode& child : node.children) {
      if (!plain_keys.contains(child.key)) strings(child, frame, locals);
    }
  }

  void text(const SyntaxNode& node, const NameScope& frame, const Locals& locals) {
    const bool is_code = code_keys.contains(node.key) || (node.key == "state" && node.is_text());
    const Scanned scanned = scan_expressions(node.text);
    if (scanned.problem) {
      const SourcePlace at =
          places_.find(node, std::string_view(node.text).substr(scanned.problem->at));
      const std::string message(scanned.problem->message);
      // Texts written for WorkRail may hold braces that never were expressions.
      if (frame.dialect == Dialect::workrail) {
        diagnostics_.warning(Code::WORKFLOW_BAD_EXPRESSION, at, message);
      } else {
        diagnostics_.error(Code::WORKFLOW_BAD_EXPRESSION, at, message,
                           "text can be shown with {{ '{{' }}");
      }
      return;
    }
    const auto compares = [&](std::string_view code) {
      const std::size_t at = is_code ? assignment_in(code) : std::string_view::npos;
      if (at == std::string_view::npos) return;
      diagnostics_.warning(Code::WORKFLOW_BAD_EXPRESSION, places_.find(node, code.substr(at)),
                           "this assigns a value and does not compare", "write === to compare");
    };
    if (is_code && scanned.expressions.empty()) {
      compares(node.text);
      found_.push_back(
          {node.at, node.text, ExpressionFilter::none, plain_path(node.text).has_value(), false});
      names(node, node.text, frame, locals);
      return;
    }
    for (const Expression& each : scanned.expressions) {
      const SourcePlace at = places_.find_next(
          node, std::string_view(node.text).substr(each.begin, each.end - each.begin));
      if (each.code.starts_with('.')) {
        diagnostics_.error(Code::WORKFLOW_BAD_EXPRESSION, at,
                           cat("\"", each.code, "\" is not an expression"),
                           "text can be shown with {{ '{{' }}");
        continue;
      }
      compares(each.code);
      found_.push_back(
          {at, std::string(each.code), each.filter, plain_path(each.code).has_value(), false});
      names(node, each.code, frame, locals);
    }
  }

  /// Holds the names of a piece of JavaScript against what is declared.
  void names(const SyntaxNode& node, std::string_view code, const NameScope& frame,
             const Locals& locals) {
    if (!frame.declares_state() || frame.dialect == Dialect::workrail) return;
    for (const Name& name : free_names(code)) {
      if (scope_names.contains(name.text)) {
        property(node, name, frame);
        member(node, code.substr(name.at), frame);
        continue;
      }
      if (is_script_global(name.text) || std::ranges::count(locals, name.text) > 0) continue;
      const std::string word(name.text);
      member(node, code.substr(name.at), frame);
      if (frame.raw.contains(word) || frame.state.contains(word) || frame.computed.contains(word) ||
          frame.inputs.contains(word) || frame.includes.contains(word)) {
        continue;
      }
      if (is_only_counted(node)) continue;
      if (const std::string_view instead = instead_of_word(name.text); !instead.empty()) {
        diagnostics_.error_unless(
            Dialect::aromcp, Code::WORKFLOW_BAD_EXPRESSION, places_.find(node, name.text),
            cat("\"", name.text, "\" is no word of JavaScript"), std::string(instead));
        continue;
      }
      std::vector<std::string> known = frame.readable();
      known.insert(known.end(), locals.begin(), locals.end());
      unknown(node, name.text, cat("\"", name.text, "\" is not declared"), known, frame, "raw");
    }
  }

  /// A file with more mistakes than this is not reported further.
  bool is_only_counted(const SyntaxNode& node) {
    if (!diagnostics_.is_full()) return false;
    diagnostics_.error(Code::WORKFLOW_BAD_EXPRESSION, node.at, {});
    return true;
  }

  void unknown(const SyntaxNode& node, std::string_view word, std::string message,
               const std::vector<std::string>& known, const NameScope& frame,
               std::string_view tier) {
    std::string hint = did_you_mean(word, known);
    if (hint.empty()) hint = "declare it under inputs, default_state or state_schema";
    if (frame.dialect == Dialect::aromcp) {
      diagnostics_.warning(Code::WORKFLOW_BAD_EXPRESSION, places_.find(node, word),
                           cat(message, "; until it is written it is null"), std::move(hint));
      assume(frame, tier, word);
      return;
    }
    diagnostics_.error(Code::WORKFLOW_BAD_EXPRESSION, places_.find(node, word), std::move(message),
                       std::move(hint));
  }

  /// AroMCP has names that no file declares: they become fields of any type.
  void assume(const NameScope& frame, std::string_view tier, std::string_view name) {
    if (tier.empty() || frame.owner == nullptr || name == "loop") return;
    const Assumed each{frame.owner, std::string(tier), std::string(name)};
    if (std::ranges::find(assumed_, each) == assumed_.end()) assumed_.push_back(each);
  }

  /// The declared type of a field of one tier, or of whichever tier has it; empty when it is not
  /// told.
  static std::string_view declared_type(const NameScope& frame, std::string_view tier,
                                        std::string_view field) {
    if (frame.owner == nullptr) return {};
    if (tier.empty() && frame.computed.contains(field)) return {};
    const SyntaxNode* schema = frame.owner->find("state_schema");
    for (const std::string_view each : {"raw", "state"}) {
      const SyntaxNode* fields = schema == nullptr ? nullptr : schema->find(each);
      const SyntaxNode* found = fields == nullptr ? nullptr : fields->find(field);
      if (found == nullptr || (!tier.empty() && tier != each && tier != "this")) continue;
      return found->is_text() ? std::string_view(found->text) : found->text_of("type");
    }
    const SyntaxNode* inputs = frame.owner->find("inputs");
    const SyntaxNode* input = inputs == nullptr ? nullptr : inputs->find(field);
    const bool is_meant = tier.empty() || tier == "inputs" || tier == "this";
    return input != nullptr && is_meant ? input->text_of("type") : std::string_view();
  }

  /// `names.lenght`, where `names` is declared as a list.
  void member(const SyntaxNode& node, std::string_view code, const NameScope& frame) {
    if (frame.dialect != Dialect::native) return;
    const NameChain chain = chain_at(code);
    constexpr WordSet tiers("raw", "state", "inputs", "this");
    const std::size_t field = chain.count > 0 && tiers.contains(chain.names[0]) ? 1 : 0;
    if (chain.count < field + 2) return;
    const std::string_view type =
        declared_type(frame, field == 0 ? std::string_view() : chain.names[0], chain.names[field]);
    const auto known = members_of_type(type);
    const std::string_view wanted = chain.names[field + 1];
    if (known.empty() || std::ranges::find(known, wanted) != known.end()) return;
    if (is_only_counted(node)) return;
    std::string hint = did_you_mean(wanted, known);
    diagnostics_.warning(
        Code::WORKFLOW_BAD_EXPRESSION, places_.find(node, wanted),
        cat("\"", chain.names[field], "\" is declared as ", type, ", which has no \"", wanted, '"'),
        hint.empty() ? "declare it as any, if it can be something else" : std::move(hint));
  }

  /// `inputs.x`, `raw.x`, `this.x`: x must be declared there.
  void property(const SyntaxNode& node, const Name& name, const NameScope& frame) {
    if (name.property.empty()) return;
    std::vector<const NameSet*> where;
    if (name.text == "inputs") where = {&frame.inputs};
    if (name.text == "raw") where = {&frame.raw, &frame.inputs};
    if (name.text == "state") where = {&frame.state};
    if (name.text == "computed") where = {&frame.computed};
    if (name.text == "this") {
      where = {&frame.raw, &frame.state, &frame.computed, &frame.includes, &frame.inputs};
    }
    if (where.empty()) return;
    const auto has = [&](const NameSet* names) { return names->contains(name.property); };
    if (std::ranges::any_of(where, has) || is_only_counted(node)) return;
    std::vector<std::string> known;
    for (const NameSet* names : where) known.insert(known.end(), names->begin(), names->end());
    const std::string_view tier = name.text == "state" ? "state" : name.text == "this" ? "raw" : "";
    unknown(node, name.property, cat("\"", name.property, "\" is not declared in ", name.text),
            known, frame, tier);
  }

  /// A path that is written: its tier must be writable, its field declared.
  void written(const SyntaxNode& path, const NameScope& frame) {
    const std::string_view text = path.text;
    const std::size_t dot = text.find('.');
    const std::string_view tier = text.substr(0, dot);
    const std::string_view rest =
        dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
    const bool writable = tier == "raw" || tier == "state" || tier == "this" || tier == "global" ||
                          (tier == "inputs" && frame.dialect == Dialect::aromcp);
    if (tier == "computed") {
      diagnostics_.error(Code::WORKFLOW_BAD_STATE_PATH, path.at, "only the engine writes computed",
                         "write what it is computed from");
      return;
    }
    if (!writable || rest.empty() || rest.starts_with('.')) {
      diagnostics_.error(Code::WORKFLOW_BAD_STATE_PATH, path.at,
                         cat("\"", text, "\" is not a writable path"),
                         cat("begin it with raw., state. or this.; did you mean \"raw.",
                             writable ? rest : text, "\"?"));
      return;
    }
    const std::string_view field = rest.substr(0, rest.find_first_of(".{["));
    if (field.empty() || tier == "inputs") return;
    if (tier != "global") {
      declared(path, tier, field, frame);
    } else if (frame.dialect == Dialect::aromcp && root_ != nullptr) {
      declared(path, "this", field, *root_);
    }
  }

  void declared(const SyntaxNode& path, std::string_view tier, std::string_view field,
                const NameScope& frame) {
    if (tier == "this" && frame.computed.contains(field) && !frame.raw.contains(field) &&
        !frame.state.contains(field)) {
      diagnostics_.error(Code::WORKFLOW_BAD_STATE_PATH, path.at,
                         cat("\"", field, "\" is computed; only the engine writes it"));
      return;
    }
    std::vector<const NameSet*> where;
    if (tier == "raw" || tier == "this") where.push_back(&frame.raw);
    if (tier == "state" || tier == "this") where.push_back(&frame.state);
    const auto has = [&](const NameSet* names) { return names->contains(field); };
    const auto is_empty = [](const NameSet* names) { return names->empty(); };
    if (std::ranges::any_of(where, has)) return;
    if (std::ranges::all_of(where, is_empty)) return;  // the tier is not declared at all
    if (is_only_counted(path)) return;
    std::vector<std::string> known;
    for (const NameSet* names : where) known.insert(known.end(), names->begin(), names->end());
    diagnostics_.error_unless(Dialect::aromcp, Code::WORKFLOW_BAD_STATE_PATH, path.at,
                              cat("\"", field, "\" is not declared in ", tier),
                              did_you_mean(field, known));
    if (frame.dialect == Dialect::aromcp) {
      const bool is_state = tier == "state" || (tier == "this" && frame.raw.empty());
      assume(frame, is_state ? "state" : "raw", field);
    }
  }

  const Expanded& expanded_;
  TextPlaces places_;
  Diagnostics& diagnostics_;
  std::vector<FoundExpression> found_;
  const NameScope* root_ = nullptr;
  std::vector<Assumed> assumed_;
};

}  // namespace

std::vector<FoundExpression> check_names(Expanded& expanded, Dialect dialect,
                                         const Sources& sources, Diagnostics& diagnostics) {
  Checker checker(expanded, sources, diagnostics);
  std::vector<FoundExpression> found = checker.run(dialect);
  for (const Assumed& each : checker.assumed()) {
    SyntaxNode& owner = *const_cast<SyntaxNode*>(each.owner);  // a part of `expanded`
    const auto part = [&](SyntaxNode& node, std::string_view key) -> SyntaxNode& {
      if (!node.has(key)) node.set(key, SyntaxNode::object(owner.at));
      return *node.find(key);
    };
    SyntaxNode& tier = part(part(owner, "state_schema"), each.tier);
    if (!tier.has(each.name)) tier.set(each.name, SyntaxNode::of_text("any", owner.at));
  }
  return found;
}

std::vector<const SyntaxNode*> computed_order(const SyntaxNode& schema) {
  const SyntaxNode* fields = schema.find("computed");
  if (fields == nullptr) return {};
  // Rounds by name, because the order must not depend on the file's: each takes every field whose
  // needs are met, also by those it has taken before. In a circle no round takes any.
  std::map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < fields->children.size(); ++i) by_name[fields->children[i].key] = i;
  std::vector<std::size_t> rank(fields->children.size());
  for (std::size_t next = 0; const auto& [name, i] : by_name) rank[i] = next++;
  const std::vector<std::vector<std::size_t>> needs = Checker::needs_of(*fields);
  std::vector<std::vector<std::size_t>> needed_by(needs.size());
  std::vector<std::size_t> left(needs.size());
  std::map<std::size_t, std::size_t> round;  // those that are ready, by rank
  for (std::size_t i = 0; i < needs.size(); ++i) {
    left[i] = needs[i].size();
    for (const std::size_t each : needs[i]) needed_by[each].push_back(i);
    if (left[i] == 0) round.emplace(rank[i], i);
  }
  std::vector<const SyntaxNode*> order;
  while (!round.empty()) {
    std::map<std::size_t, std::size_t> next_round;
    while (!round.empty()) {
      const auto [at, field] = *round.begin();
      round.erase(round.begin());
      order.push_back(&fields->children[field]);
      for (const std::size_t reader : needed_by[field]) {
        if (--left[reader] > 0) continue;
        (rank[reader] > at ? round : next_round).emplace(rank[reader], reader);
      }
    }
    round = std::move(next_round);
  }
  return order;
}

}  // namespace baton::workflow
