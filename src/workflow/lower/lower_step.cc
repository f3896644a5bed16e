#include "workflow/lower/lower_step.h"

#include <map>

#include "base/text/text.h"
#include "workflow/check/check_names.h"
#include "workflow/check/gate_carriers.h"
#include "workflow/lower/condition.h"
#include "workflow/text/expression.h"
#include "workflow/text/shell_lexer.h"

namespace baton::workflow {
namespace {

using json::Array;
using json::Object;

/// Arguments as people read them, each recognisable as one.
std::string shown_argv(const SyntaxNode& argv) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-{}";
  std::string out;
  for (const SyntaxNode& each : argv.children) {
    if (!out.empty()) out += ' ';
    if (each.text.empty() || each.text.find_first_not_of(plain) != std::string::npos)
      json::append_quoted(out, each.text);
    else
      out += each.text;
  }
  return out;
}

/// Arguments as a shell would be given them, each in quotes of its own, so that what the lexer
/// knows of programs that take code holds for them too.
std::string as_shell_text(const SyntaxNode& argv) {
  std::string out;
  for (const SyntaxNode& each : argv.children) {
    out += out.empty() ? "\"" : " \"";
    std::size_t slot = 0;
    const Scanned scanned = scan_expressions(each.text);
    for (std::size_t at = 0; at < each.text.size();) {
      if (slot < scanned.expressions.size() && scanned.expressions[slot].begin == at) {
        const std::size_t end = scanned.expressions[slot++].end;
        out += each.text.substr(at, end - at);
        at = end;
        continue;
      }
      if (std::string_view("\"$`\\").contains(each.text[at])) out += '\\';
      out += each.text[at++];
    }
    out += '"';
  }
  return out;
}

json::Value types_of(const SyntaxNode& tier) {
  Object out;
  for (const SyntaxNode& field : tier.children) {
    out.set(field.key, field.is_text() ? std::string_view(field.text) : field.text_of("type"));
  }
  return out;
}

json::Value computed_of(const SyntaxNode& schema) {
  Array out;
  for (const SyntaxNode* each_field : computed_order(schema)) {
    const SyntaxNode& field = *each_field;
    const SyntaxNode* from = field.find("from");
    if (from == nullptr) continue;
    Array paths;
    if (from->is_text()) paths.emplace_back(from->text);
    for (const SyntaxNode& each : from->children) paths.emplace_back(each.text);
    const std::string_view on_error = field.text_of("on_error");
    Object entry{{"name", field.key},
                 {"from", std::move(paths)},
                 {"list", from->is_array()},
                 {"transform", field.text_of("transform")},
                 {"on_error", on_error.empty() ? "use_fallback" : on_error}};
    if (const SyntaxNode* fallback = field.find("fallback"))
      entry.set("fallback", fallback->to_json());
    if (const SyntaxNode* validate = field.find("validate")) entry.set("validate", validate->text);
    out.push_back(std::move(entry));
  }
  return out;
}

/// The steps of a block so that each comes after those that it depends on, otherwise as they are
/// written. REQUIRES: they do not depend on each other in a circle.
std::vector<std::size_t> order_by_needs(const SyntaxNode& list) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < list.children.size(); ++i) {
    places.emplace(list.children[i].text_of("id"), i);
  }
  std::vector<std::size_t> left(list.children.size());
  std::vector<std::vector<std::size_t>> needed_by(list.children.size());
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < list.children.size(); ++i) {
    const SyntaxNode* needs = list.children[i].find("dependencies");
    for (std::size_t n = 0; needs != nullptr && n < needs->children.size(); ++n) {
      const auto found = places.find(needs->children[n].text);
      if (found == places.end()) continue;
      needed_by[found->second].push_back(i);
      ++left[i];
    }
    if (left[i] == 0) ready.insert(i);
  }
  std::vector<std::size_t> out;
  while (!ready.empty()) {
    const std::size_t next = *ready.begin();
    ready.erase(ready.begin());
    out.push_back(next);
    for (const std::size_t each : needed_by[next]) {
      if (--left[each] == 0) ready.insert(each);
    }
  }
  ASSERT(out.size() == list.children.size());
  return out;
}

OnError on_error_of(const SyntaxNode& node) {
  return {.strategy = named<ErrorStrategy>(node.text_of("strategy")),
          .retries = integer_at(node, "retries"),
          .delay_ms = integer_at(node, "delay_ms"),
          .value = value_at(node, "value"),
          .message = text_at(node, "message")};
}

/// Fills in what a person agrees to and what the step changes outside. The command of `undo` stays
/// as it is written; its values are filled in when it runs.
void lower_gate_keys(const SyntaxNode& step, Step& out) {
  if (const SyntaxNode* gate = step.find("gate"); gate != nullptr && gate->is_object()) {
    StepGate& to = out.gate.emplace();
    to.who = text_at(*gate, "who");
    to.count = integer_at(*gate, "count");
    to.assurance = text_at(*gate, "assurance");
    if (const SyntaxNode* life = gate->find("expires")) to.expires_minutes = gate_minutes(*life);
    to.prompt = text_at(*gate, "prompt");
  } else if (gate != nullptr && gate->boolean) {
    out.gate.emplace();
  }
  out.effect = flag_at(step, "effect");
  out.on_fork = text_at(step, "on_fork");
  out.undo = text_at(step, "undo");
  out.despite_gaps = step.is_true("despite_gaps");
  out.waivable = step.is_true("waivable");
}

}  // namespace

Boxed<std::string> text_at(const SyntaxNode& node, std::string_view key) {
  const SyntaxNode* found = node.find(key);
  return found == nullptr ? Boxed<std::string>() : Boxed<std::string>(found->text);
}

Boxed<std::vector<std::string>> texts_at(const SyntaxNode& node, std::string_view key) {
  const SyntaxNode* found = node.find(key);
  if (found == nullptr) return {};
  std::vector<std::string> out;
  for (const SyntaxNode& each : found->children) out.push_back(each.text);
  return out;
}

Boxed<json::Value> value_at(const SyntaxNode& node, std::string_view key) {
  const SyntaxNode* found = node.find(key);
  return found == nullptr ? Boxed<json::Value>() : Boxed<json::Value>(found->to_json());
}

Boxed<json::Value> condition_at(const SyntaxNode& node, std::string_view key) {
  const SyntaxNode* found = node.find(key);
  return found == nullptr ? Boxed<json::Value>() : Boxed<json::Value>(lower_condition(*found));
}

std::optional<std::int64_t> integer_at(const SyntaxNode& node, std::string_view key) {
  const SyntaxNode* found = node.find(key);
  return found == nullptr ? std::nullopt : std::optional(found->integer);
}

std::optional<bool> flag_at(const SyntaxNode& node, std::string_view key) {
  const SyntaxNode* found = node.find(key);
  return found == nullptr ? std::nullopt : std::optional(found->boolean);
}

json::Value items_of(const SyntaxNode& node) {
  if (node.is_array()) return Object{{"list", node.to_json()}};
  return Object{{"js", bare_expression(node.text)}};
}

json::Object StepLowering::state(const SyntaxNode& owner) {
  Object out;
  if (const SyntaxNode* schema = owner.find("state_schema")) {
    for (const std::string_view tier : {"raw", "state", "inputs"}) {
      if (const SyntaxNode* found = schema->find(tier)) out.set(tier, types_of(*found));
    }
    if (schema->has("computed")) out.set("computed", computed_of(*schema));
  }
  if (const SyntaxNode* defaults = owner.find("default_state"))
    out.set("defaults", defaults->to_json());
  return out;
}

json::Object StepLowering::inputs(const SyntaxNode& map) {
  Object out;
  for (const SyntaxNode& each : map.children) {
    if (!each.is_object()) {
      out.set(each.key, Object{{"default", each.to_json()}, {"required", false}});
      continue;
    }
    Object input = *each.to_json().if_object();
    if (!input.contains("required")) input.set("required", !input.contains("default"));
    out.set(each.key, std::move(input));
  }
  return out;
}

std::vector<Step> StepLowering::steps(SyntaxNode& list) {
  std::vector<Step> out;
  out.reserve(list.children.size());
  for (const std::size_t each : order_by_needs(list)) out.push_back(step(list.children[each]));
  return out;
}

void StepLowering::block(SyntaxNode& node, std::string_view key, Step& out) {
  SyntaxNode* list = node.find(key);
  if (list == nullptr || !list->is_array() || list->children.empty()) return;
  out.blocks.push_back({std::string(key), steps(*list)});
}

Step StepLowering::step(SyntaxNode& node) {
  Step out;
  out.id = node.text_of("id");
  const StepType& type = expanded_type(node);
  if (type.lower != nullptr) type.lower(node, *this, out);
  common(node, out);
  return out;
}

void StepLowering::common(const SyntaxNode& node, Step& out) {
  out.title = node.text_of("title");
  if (out.title.empty()) out.title = out.id;
  out.description = text_at(node, "description");
  out.tags = texts_at(node, "tags");
  out.path_patterns = texts_at(node, "pathPatterns");
  out.allow_parallel = flag_at(node, "allowParallel");
  out.timeout_ms = integer_at(node, "timeout_ms");
  if (const SyntaxNode* errors = node.find("on_error")) out.on_error = on_error_of(*errors);
  if (const SyntaxNode* updates = node.find("updates"))
    out.updates = *updates->to_json().if_array();
  if (auto needs = texts_at(node, "dependencies")) out.dependencies = *std::move(needs);
  out.run_condition = condition_at(node, "runCondition");
  out.error_update = value_at(node, "error_state_update");
  if (const SyntaxNode* rule = node.find("requireConfirmation")) confirmation(*rule, out);
  lower_gate_keys(node, out);
  if (const SyntaxNode* command = node.find("undo")) undo(out, *command);
  out.notes_optional = node.is_true("notesOptional");
}

/// true or false is the flag of a prompt; anything else is a rule.
void StepLowering::confirmation(const SyntaxNode& rule, Step& out) {
  if (rule.is_bool()) {
    if (out.kind() == StepKind::prompt)
      out.require_confirmation = rule.boolean;
    else if (rule.boolean)
      out.confirmation = Confirmation{"human_approval", {}};
    return;
  }
  const bool has_kind = rule.is_object() && rule.has("kind");
  out.confirmation =
      has_kind ? Confirmation{std::string(rule.text_of("kind")), condition_at(rule, "condition")}
               : Confirmation{"human_approval", lower_condition(rule)};
}

void StepLowering::unsafe(const SourcePlace& at, std::string message) {
  diagnostics_.error(Code::WORKFLOW_UNSAFE_SHELL, at, std::move(message),
                     "give it an argument of its own, or use argv");
}

void StepLowering::arguments(const Step& step, const SyntaxNode& argv, ShellUse::By by) {
  for (ShellProblem& each : lower_shell(as_shell_text(argv)).problems) {
    unsafe(argv.at, std::move(each.message));
  }
  commands_.push_back({step.id, shown_argv(argv), argv.at, by});
}

void StepLowering::undo(const Step& step, const SyntaxNode& command) {
  commands_.push_back({step.id, command.text, command.at, ShellUse::By::server});
}

StepLowering::CommandLine StepLowering::command_line(const Step& step, const SyntaxNode& command,
                                                     ShellUse::By by) {
  LoweredShell lowered = lower_shell(command.text);
  CommandLine out{std::move(lowered.command), {}};
  for (const ShellSlot& slot : lowered.slots) out.env.set(slot.variable, slot.expression);
  commands_.push_back({step.id, out.command, command.at, by});
  return out;
}

}  // namespace baton::workflow
