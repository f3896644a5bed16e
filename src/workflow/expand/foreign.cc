#include "workflow/expand/foreign.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/schema/pattern.h"
#include "base/schema/schema.h"
#include "base/text/text.h"
#include "workflow/check/closed_sets.h"
#include "workflow/check/word_set.h"
#include "workflow/text/expression.h"

namespace baton::workflow {
namespace {

constexpr std::string_view shown_brace = "{{ '{{' }}";

/// Keys of steps whose texts an agent reads, with values filled in.
constexpr WordSet read_keys("title", "prompt", "promptBlocks", "promptFragments", "guidance",
                            "functionDefinitions", "parallelDelegations", "synthesis", "audit",
                            "verification", "message");
/// Below these: what is no text for an agent.
constexpr WordSet unread_keys("id", "when", "runCondition", "outputContract", "kind", "refId",
                              "workflowId", "allowedTools", "contextMapping", "name");

template <class Visit>
void each_text(SyntaxNode& node, const Visit& visit) {
  if (unread_keys.contains(node.key)) return;
  if (node.is_text()) visit(node.text);
  for (SyntaxNode& child : node.children) each_text(child, visit);
}

/// Every text of the step that an agent reads, without the steps inside of it.
template <class Visit>
void each_read_text(SyntaxNode& step, const Visit& visit) {
  for (SyntaxNode& child : step.children) {
    if (read_keys.contains(child.key)) each_text(child, visit);
  }
}

template <class Visit>
void each_step(SyntaxNode& steps, const Visit& visit) {
  for (SyntaxNode& step : steps.children) {
    if (!step.is_object()) continue;
    visit(step);
    for (const std::string_view key : block_keys()) {
      SyntaxNode* inner = step.find(key);
      if (inner != nullptr && inner->is_array()) each_step(*inner, visit);
    }
  }
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether braces hold words for people or marks of another template language, and no JavaScript.
bool is_no_script(std::string_view code) {
  if (code.empty() || std::string_view("#/>^&!*%@~").contains(code.front())) return true;
  const bool has_blank = code.find_first_of(" \t\n") != std::string_view::npos;
  return has_blank && code.find_first_of("+-*/?:()[]'\"`&|<>=.") == std::string_view::npos;
}

/// The text with each `{name}` (`${name}` too, where `mark` is '$') that `value_of` knows replaced.
template <class ValueOf>
std::string with_names(std::string_view text, bool plain_braces, const ValueOf& value_of) {
  std::string out;
  std::size_t at = 0;  // behind what `out` has
  for (std::size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    std::size_t end = open + 1;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const bool has_mark = open > at && text[open - 1] == '$';
    const bool is_double =
        (open > at && text[open - 1] == '{') || text.substr(end).starts_with("}}");
    const bool is_name = end > open + 1 && end < text.size() && text[end] == '}' && !is_double &&
                         (text[open + 1] < '0' || text[open + 1] > '9');
    if (!is_name || (!has_mark && !plain_braces)) continue;
    const std::optional<std::string> value = value_of(text.substr(open + 1, end - open - 1));
    if (!value) continue;
    out += cat(text.substr(at, open - at - (has_mark ? 1 : 0)), *value);
    at = end + 1;
  }
  return out += text.substr(at);
}

void drop_confirmation(SyntaxNode& step, std::string_view type, Diagnostics& diagnostics) {
  const SyntaxNode* rule = step.find("requireConfirmation");
  if (rule == nullptr || (type != "loop" && type != "parallel")) return;
  diagnostics.warning(Code::WORKFLOW_KEY_IGNORED, rule->key_at,
                      cat("\"requireConfirmation\" of a ", type, " step has no effect in WorkRail"),
                      "put it on the step that needs it");
  step.erase("requireConfirmation");
}

/// A loop whose body says whether it continues is controlled by that, and not by its condition.
void find_control(SyntaxNode& step) {
  SyntaxNode* config = step.find("loop");
  const SyntaxNode* body = step.find("body");
  if (config == nullptr || body == nullptr || !body->is_array()) return;
  const std::string_view kind = config->text_of("type");
  if (kind != "while" && kind != "until") return;
  if (const SyntaxNode* source = config->find("conditionSource")) {
    if (source->text_of("kind") == "artifact_contract") config->erase("condition");
    return;
  }
  for (const SyntaxNode& each : body->children) {
    const SyntaxNode* contract = each.find("outputContract");
    if (contract == nullptr) continue;
    if (bare_name(contract->text_of("contractRef"), "contracts") != "loop_control") continue;
    SyntaxNode source = SyntaxNode::object(contract->at);
    source.set("kind", SyntaxNode::of_text("artifact_contract", contract->at));
    source.set("contractRef", SyntaxNode::of_text("wr.contracts.loop_control", contract->at));
    config->set("conditionSource", std::move(source));
    config->erase("condition");
    return;
  }
}

/// Why a rule for the notes cannot be checked; empty when it can. Of rules under others, the first.
std::string problem_of(const SyntaxNode& rules) {
  if (rules.is_object() && rules.has("type")) {
    if (const SyntaxNode* pattern = rules.find("pattern"); pattern && pattern->is_text()) {
      const auto compiled = schema::Pattern::compile(pattern->text);
      if (!compiled) return cat("the pattern: ", compiled.error().message);
    }
    if (const SyntaxNode* shape = rules.find("schema")) {
      const auto compiled = schema::Schema::compile(shape->to_json(), {});
      if (!compiled) return cat("the schema: ", compiled.error().message);
    }
    return {};
  }
  for (const SyntaxNode& child : rules.children) {
    if (std::string problem = problem_of(child); !problem.empty()) return problem;
  }
  return {};
}

/// Rules that WorkRail checks and Baton cannot are advice: their messages.
void take_out_rules(SyntaxNode& step, Diagnostics& diagnostics) {
  SyntaxNode* criteria = step.find("validationCriteria");
  if (criteria == nullptr) return;
  SyntaxNode advice = SyntaxNode::array(criteria->at);
  const auto take_out = [&](const SyntaxNode& rule) {
    const std::string problem = problem_of(rule);
    if (problem.empty()) return false;
    diagnostics.warning(Code::WORKFLOW_WRONG_VALUE, rule.at,
                        cat(problem, "; the rule is shown and not checked"));
    const std::string_view message = rule.text_of("message");
    if (!message.empty()) advice.append(SyntaxNode::of_text(std::string(message), rule.at));
    return true;
  };
  SyntaxNode* all = criteria->is_array() ? criteria : criteria->find("and");
  if (all != nullptr) std::erase_if(all->children, take_out);
  const bool is_empty = all != nullptr ? all->children.empty() : take_out(*criteria);
  if (is_empty) step.erase("validationCriteria");
  if (advice.children.empty()) return;
  if (const SyntaxNode* own = step.find("guidance")) {
    if (own->is_text()) advice.children.insert(advice.children.begin(), *own);
    advice.children.insert(advice.children.begin(), own->children.begin(), own->children.end());
  }
  for (SyntaxNode& each : advice.children) each.key.clear();
  step.set("guidance", std::move(advice));
}

/// In WorkRail's loops a name or a condition object decides.
void refuse_expressions(const SyntaxNode& step, Diagnostics& diagnostics) {
  const SyntaxNode* config = step.find("loop");
  if (config == nullptr) return;
  const auto refuse = [&](const SyntaxNode* found, std::string_view use) {
    if (found == nullptr || !found->is_text()) return;
    diagnostics.error(
        Code::WORKFLOW_BAD_CONDITION, found->at,
        cat("the loops of a WorkRail file take no expression for \"", found->key, '"'),
        cat("write ", use, ", or mark the file as Baton's own with `baton: 1`"));
  };
  const std::string_view object = "a condition object, such as {var: name, equals: value}";
  refuse(config->find("condition"), object);
  if (const SyntaxNode* source = config->find("conditionSource")) {
    refuse(source->find("condition"), object);
  }
  for (const std::string_view key : {"items", "count"}) {
    const SyntaxNode* found = config->find(key);
    if (found != nullptr && found->text.find("{{") != std::string::npos) {
      refuse(found, "the name of a variable");
    }
  }
}

}  // namespace

std::vector<std::string> routine_names(std::string_view name) {
  const std::string_view bare = bare_name(name, "templates");
  if (!bare.starts_with("routine.")) return {std::string(name)};
  const std::string_view routine = bare.substr(8);
  return {cat("wr.routine-", routine), cat("routine-", routine), std::string(routine)};
}

std::string with_plain_braces(std::string_view text, const WorkflowDocument& document) {
  if (!document.is_json || document.dialect != Dialect::workrail) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const Scanned scanned = scan_expressions(text);
    std::size_t at = 0;
    for (const Expression& each : scanned.expressions) {
      out += text.substr(at, each.begin - at);
      at = each.end;
      const std::string_view written = text.substr(each.begin, each.end - each.begin);
      const bool is_path = plain_path(each.code) && each.filter == ExpressionFilter::none;
      const bool is_plain = !is_path && (document.is_marked || is_no_script(each.code));
      out += is_plain ? cat(shown_brace, written.substr(2)) : std::string(written);
    }
    text.remove_prefix(at);
    const std::size_t brace = scanned.problem ? text.find("{{") : std::string_view::npos;
    if (brace == std::string_view::npos) return out += text;
    out += cat(text.substr(0, brace), shown_brace);
    text.remove_prefix(brace + 2);
  }
  return out;
}

void settle_as_workrail(SyntaxNode& step, const WorkflowDocument& document,
                        Diagnostics& diagnostics) {
  const std::string type(step.text_of("type"));
  drop_confirmation(step, type, diagnostics);
  if (type == "loop") {
    refuse_expressions(step, diagnostics);
    find_control(step);
  }
  take_out_rules(step, diagnostics);
  each_read_text(step, [&](std::string& text) { text = with_plain_braces(text, document); });
}

void put_workrail_arguments(SyntaxNode& steps, const SyntaxNode* arguments, const SyntaxNode& call,
                            const SyntaxNode& routine, Diagnostics& diagnostics) {
  std::set<std::string, std::less<>> missing;
  const auto value_of = [&](std::string_view name) -> std::optional<std::string> {
    const SyntaxNode* given = arguments == nullptr ? nullptr : arguments->find(name);
    if (given == nullptr) {
      missing.emplace(name);
      return std::nullopt;
    }
    return given->is_text() ? given->text : json::print(given->to_json());
  };
  const SyntaxNode* guidance = routine.find("metaGuidance");
  each_step(steps, [&](SyntaxNode& step) {
    each_read_text(step, [&](std::string& text) { text = with_names(text, true, value_of); });
    if (guidance == nullptr || step.text_of("type") != "prompt") return;
    SyntaxNode all = SyntaxNode::array(guidance->at);
    if (const SyntaxNode* own = step.find("guidance")) {
      if (own->is_text()) all.append(*own);
      for (const SyntaxNode& each : own->children) all.append(each);
    }
    for (const SyntaxNode& each : guidance->children) all.append(each);
    step.set("guidance", std::move(all));
  });
  for (const std::string& name : missing) {
    diagnostics.warning(
        Code::WORKFLOW_MISSING_KEY, call.at,
        cat("the routine shows {", name, "}, and the call has no argument \"", name, '"'),
        cat("add it to \"args\""));
  }
}

bool is_routine(const WorkflowDocument& document) {
  return document.root.text_of("kind") == "routine";
}

void show_arguments(WorkflowDocument& routine) {
  SyntaxNode* steps = routine.root.find("steps");
  if (steps == nullptr) return;
  const bool plain_braces = routine.dialect == Dialect::workrail;
  std::set<std::string, std::less<>> names;
  const auto value_of = [&](std::string_view name) -> std::optional<std::string> {
    // Variables of a shell are written in capitals.
    if (!(name.front() >= 'a' && name.front() <= 'z')) return std::nullopt;
    names.emplace(name);
    return cat("{{ inputs.", name, " }}");
  };
  each_step(*steps, [&](SyntaxNode& step) {
    each_read_text(step,
                   [&](std::string& text) { text = with_names(text, plain_braces, value_of); });
  });
  if (names.empty()) return;
  const SourcePlace at = routine.root.at;
  if (!routine.root.has("inputs")) routine.root.set("inputs", SyntaxNode::object(at));
  SyntaxNode& inputs = *routine.root.find("inputs");
  for (const std::string& name : names) {
    if (inputs.has(name)) continue;
    SyntaxNode input = SyntaxNode::object(at);
    input.set("description", SyntaxNode::of_text("An argument of this routine", at));
    SyntaxNode no;
    no.type = json::Type::boolean;
    no.at = at;
    no.boolean = false;
    input.set("required", std::move(no));
    inputs.set(name, std::move(input));
  }
}

std::string mapped_context(const SyntaxNode& mapping) {
  std::map<std::string_view, std::string_view> sorted;
  for (const SyntaxNode& each : mapping.children) sorted[each.text] = each.key;
  std::string out;
  for (const auto& [here, there] : sorted) {
    out += plain_path(there) ? cat("\n- ", here, ": {{ ", there, " }}")
                             : cat("\n- ", here, ": ", there);
  }
  return out;
}

}  // namespace baton::workflow
