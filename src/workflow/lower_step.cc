#include "workflow/lower_step.h"

#include "base/core/limits.h"
#include "base/text/text.h"
#include "workflow/check_names.h"
#include "workflow/closed_sets.h"
#include "workflow/condition.h"
#include "workflow/expression.h"
#include "workflow/shell_lexer.h"

namespace baton::workflow {
namespace {

using json::Array;
using json::Object;

constexpr std::int64_t while_iterations = 100;  // when a file says nothing
constexpr std::int64_t parallel_tasks = 5;
constexpr std::int64_t input_tries = 3;

StepKind kind_of(const Node& node) {
  const std::string_view type = node.text_of("type");
  if (type == "while" || type == "foreach") return StepKind::loop;
  if (type == "shell_command" && node.text_of("execution_context") == "client") {
    return StepKind::agent_shell_command;
  }
  return step_kind(type).value_or(StepKind::prompt);
}

/// A list as it is, an expression as {"js"}.
json::Value items_of(const Node& node) {
  if (node.is_array()) return Object{{"list", node.to_json()}};
  return Object{{"js", bare_expression(node.text)}};
}

json::Value rules_of(const Node& node) {
  if (node.is_array()) {
    Array list;
    for (const Node& child : node.children) list.push_back(rules_of(child));
    return Object{{"and", std::move(list)}};
  }
  Object out;
  for (const Node& child : node.children) {
    if (child.key == "condition")
      out.set(child.key, lower_condition(child));
    else if (child.key == "not")
      out.set(child.key, rules_of(child));
    else if (child.key == "and" || child.key == "or") {
      Array list;
      for (const Node& each : child.children) list.push_back(rules_of(each));
      out.set(child.key, std::move(list));
    } else {
      out.set(child.key, child.to_json());
    }
  }
  return out;
}

json::Value contract_of(const Node& node) {
  const Node* required = node.find("required");
  Object out{{"contract", bare_name(node.text_of("contractRef"), "contracts")},
             {"required", required == nullptr || required->boolean}};
  if (node.has("capability")) out.set("capability", node.text_of("capability"));
  return out;
}

/// Arguments as people read them, each recognisable as one.
std::string shown_argv(const Node& argv) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-{}";
  std::string out;
  for (const Node& each : argv.children) {
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
std::string as_shell_text(const Node& argv) {
  std::string out;
  for (const Node& each : argv.children) {
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

json::Value evidence_of(const Node& list) {
  Array out;
  for (const Node& each : list.children) {
    const Node& only = each.children.front();
    if (only.key == "state")
      out.push_back(Object{{"state", bare_expression(only.text)}});
    else
      out.push_back(each.to_json());
  }
  return out;
}

json::Value types_of(const Node& tier) {
  Object out;
  for (const Node& field : tier.children) {
    out.set(field.key, field.is_text() ? std::string_view(field.text) : field.text_of("type"));
  }
  return out;
}

json::Value computed_of(const Node& schema) {
  Array out;
  for (const Node* each_field : computed_order(schema)) {
    const Node& field = *each_field;
    const Node* from = field.find("from");
    if (from == nullptr) continue;
    Array paths;
    if (from->is_text()) paths.emplace_back(from->text);
    for (const Node& each : from->children) paths.emplace_back(each.text);
    const std::string_view on_error = field.text_of("on_error");
    Object entry{{"name", field.key},
                 {"from", std::move(paths)},
                 {"list", from->is_array()},
                 {"transform", field.text_of("transform")},
                 {"on_error", on_error.empty() ? "use_fallback" : on_error}};
    if (const Node* fallback = field.find("fallback")) entry.set("fallback", fallback->to_json());
    if (const Node* validate = field.find("validate")) entry.set("validate", validate->text);
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

json::Object StepLowering::state(const Node& owner) {
  Object out;
  if (const Node* schema = owner.find("state_schema")) {
    for (const std::string_view tier : {"raw", "state", "inputs"}) {
      if (const Node* found = schema->find(tier)) out.set(tier, types_of(*found));
    }
    if (schema->has("computed")) out.set("computed", computed_of(*schema));
  }
  if (const Node* defaults = owner.find("default_state")) out.set("defaults", defaults->to_json());
  return out;
}

json::Object StepLowering::inputs(const Node& map) {
  Object out;
  for (const Node& each : map.children) {
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

std::vector<Step> StepLowering::steps(Node& list) {
  std::vector<Step> out;
  out.reserve(list.children.size());
  for (Node& each : list.children) out.push_back(step(each));
  return out;
}

void StepLowering::copy(const Node& node, Step& out, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const Node* found = node.find(key)) out.fields.set(key, found->to_json());
  }
}

void StepLowering::block(Node& node, std::string_view key, Step& out) {
  Node* list = node.find(key);
  if (list == nullptr || !list->is_array() || list->children.empty()) return;
  out.blocks.push_back({std::string(key), steps(*list)});
}

Step StepLowering::step(Node& node) {
  Step out;
  out.kind = kind_of(node);
  common(node, out);
  switch (out.kind) {
    case StepKind::prompt: prompt(node, out); break;
    case StepKind::user_message:
      copy(node, out, {"message", "message_type"});
      out.fields.set("format", node.has("format") ? node.text_of("format") : "text");
      break;
    case StepKind::user_input: user(node, out); break;
    case StepKind::mcp_call:
      copy(node, out, {"tool"});
      out.fields.set("parameters", node.has("parameters") ? node.find("parameters")->to_json()
                                                          : json::Value(Object()));
      break;
    case StepKind::shell_command:
    case StepKind::agent_shell_command: shell(node, out); break;
    case StepKind::conditional:
      if (const Node* condition = node.find("condition")) {
        out.fields.set("condition", lower_condition(*condition));
      }
      block(node, "then", out);
      block(node, "else", out);
      break;
    case StepKind::loop: loop(node, out); break;
    case StepKind::parallel_foreach: parallel(node, out); break;
    case StepKind::include: include(node, out); break;
    case StepKind::apply_hints: copy(node, out, {"file", "hints"}); break;
    case StepKind::wait_step: copy(node, out, {"message"}); break;
    case StepKind::state_update:
    case StepKind::break_loop:
    case StepKind::continue_loop:
    case StepKind::exit: break;
  }
  return out;
}

void StepLowering::common(const Node& node, Step& out) {
  out.id = node.text_of("id");
  out.title = node.text_of("title");
  if (out.title.empty()) out.title = out.id;
  copy(node, out,
       {"description", "tags", "pathPatterns", "allowParallel", "timeout_ms", "on_error",
        "updates"});
  if (const Node* needs = node.find("dependencies"); needs != nullptr && !needs->children.empty()) {
    out.fields.set("dependencies", needs->to_json());
  }
  if (const Node* when = node.find("runCondition")) {
    out.fields.set("runCondition", lower_condition(*when));
  }
  if (const Node* update = node.find("error_state_update")) {
    out.fields.set("error_update", update->to_json());
  }
  if (const Node* rule = node.find("requireConfirmation")) confirmation(*rule, out);
  if (node.is_true("notesOptional")) out.fields.set("notesOptional", true);
}

/// true or false is the step's own flag; anything that depends on something is a rule.
void StepLowering::confirmation(const Node& rule, Step& out) {
  if (rule.is_bool()) {
    if (out.kind == StepKind::prompt)
      out.require_confirmation = rule.boolean;
    else if (rule.boolean)
      out.fields.set("confirmation", Object{{"kind", "human_approval"}});
    return;
  }
  const bool has_kind = rule.is_object() && rule.has("kind");
  Object confirm{{"kind", has_kind ? rule.text_of("kind") : "human_approval"}};
  if (!has_kind)
    confirm.set("condition", lower_condition(rule));
  else if (const Node* when = rule.find("condition")) {
    confirm.set("condition", lower_condition(*when));
  }
  out.fields.set("confirmation", std::move(confirm));
}

void StepLowering::prompt(Node& node, Step& out) {
  if (Node* text = node.find("prompt")) out.prompt = std::move(text->text);
  if (node.has("agentRole")) out.agent_role = std::string(node.text_of("agentRole"));
  if (const Node* fragments = node.find("promptFragments")) {
    Array conditional;
    for (const Node& each : fragments->children) {
      const Node* when = each.find("when");
      if (when == nullptr) {
        out.prompt += cat(out.prompt.empty() ? "" : "\n\n", each.text_of("text"));
        continue;
      }
      conditional.push_back(Object{{"id", each.text_of("id")},
                                   {"when", lower_condition(*when)},
                                   {"text", each.text_of("text")}});
    }
    if (!conditional.empty()) out.fields.set("fragments", std::move(conditional));
  }
  copy(node, out,
       {"agent", "allowed_actions", "required_output_format", "assessmentRefs",
        "assessmentConsequences", "nonAssumableChoice", "tools", "context", "expected_response",
        "max_retries", "validation"});
  if (const Node* rules = node.find("validationCriteria")) {
    out.fields.set("validationCriteria", rules_of(*rules));
  }
  if (const Node* contract = node.find("outputContract")) {
    out.fields.set("outputContract", contract_of(*contract));
  }
  if (const Node* evidence = node.find("evidence"); evidence && !evidence->children.empty()) {
    out.fields.set("evidence", evidence_of(*evidence));
    for (const Node& each : evidence->children) {
      const Node* command = each.find("command");
      if (command == nullptr) continue;
      const Node& argv = *command->find("argv");
      check_arguments(argv);
      commands_.push_back({out.id, shown_argv(argv), argv.at, ShellUse::By::server});
    }
  }
}

void StepLowering::user(const Node& node, Step& out) {
  out.fields.set("message", node.text_of("prompt"));
  copy(node, out, {"instructions", "choices", "default", "validation"});
  out.fields.set("input_type", node.has("input_type") ? node.text_of("input_type") : "string");
  const Node* tries = node.find("max_retries");
  out.fields.set("max_retries", tries == nullptr ? input_tries : tries->integer);
}

void StepLowering::unsafe(const Place& at, std::string message) {
  diagnostics_.error(Code::WORKFLOW_UNSAFE_SHELL, at, std::move(message),
                     "give it an argument of its own, or use argv");
}

/// No value may be a program, or code that a program is given.
void StepLowering::check_arguments(const Node& argv) {
  for (ShellProblem& each : lower_shell(as_shell_text(argv)).problems) {
    unsafe(argv.at, std::move(each.message));
  }
}

void StepLowering::shell(const Node& node, Step& out) {
  copy(node, out, {"working_directory", "reason", "sandbox"});
  out.fields.set("output_format",
                 node.has("output_format") ? node.text_of("output_format") : "text");
  const auto by = out.kind == StepKind::shell_command ? ShellUse::By::server : ShellUse::By::agent;
  if (const Node* argv = node.find("argv")) {
    check_arguments(*argv);
    out.fields.set("argv", argv->to_json());
    commands_.push_back({out.id, shown_argv(*argv), argv->at, by});
    return;
  }
  const Node* command = node.find("command");
  if (command == nullptr) return;
  LoweredShell lowered = lower_shell(command->text);
  for (ShellProblem& each : lowered.problems) unsafe(command->at, std::move(each.message));
  Object env;
  for (const ShellSlot& slot : lowered.slots) env.set(slot.variable, slot.expression);
  if (!env.empty()) out.fields.set("env", std::move(env));
  commands_.push_back({out.id, lowered.command, command->at, by});
  out.fields.set("command", std::move(lowered.command));
}

void StepLowering::loop(Node& node, Step& out) {
  const std::string_view type = node.text_of("type");
  if (type == "loop") {
    control(node, out, node.find("loop") == nullptr ? "" : node.find("loop")->text_of("type"));
  } else if (type == "while") {
    out.fields.set("kind", "while");
    if (const Node* condition = node.find("condition")) {
      out.fields.set("condition", lower_condition(*condition));
    }
    const Node* most = node.find("max_iterations");
    out.fields.set("max_iterations", most == nullptr ? while_iterations : most->integer);
  } else {
    out.fields.set("kind", "forEach");
    if (const Node* items = node.find("items")) out.fields.set("items", items_of(*items));
    out.fields.set("item_var", node.has("variable_name") ? node.text_of("variable_name") : "item");
    out.fields.set("index_var", "index");
    out.fields.set("max_iterations", limits::while_iterations_max);
  }
  block(node, "body", out);
}

void StepLowering::control(const Node& node, Step& out, std::string_view type) {
  const Node* config = node.find("loop");
  if (config == nullptr) return;
  out.fields.set("kind", type);
  const Node* most = config->find("maxIterations");
  out.fields.set("max_iterations", most == nullptr ? std::int64_t{1} : most->integer);
  const auto name = [&](std::string_view key, std::string_view fallback) {
    return config->has(key) ? config->text_of(key) : fallback;
  };
  out.fields.set("iteration_var", name("iterationVar", "currentIteration"));
  if (type == "forEach") {
    out.fields.set("item_var", name("itemVar", "currentItem"));
    out.fields.set("index_var", name("indexVar", "currentIndex"));
    if (const Node* items = config->find("items")) {
      const bool is_name = items->is_text() && items->text.find("{{") == std::string::npos;
      out.fields.set("items",
                     is_name ? json::Value(Object{{"var", items->text}}) : items_of(*items));
    }
  }
  if (const Node* count = config->find("count")) {
    out.fields.set("count", count->is_text()
                                ? json::Value(Object{{"var", bare_expression(count->text)}})
                                : count->to_json());
  }
  const Node* source = config->find("conditionSource");
  const Node* condition = config->find("condition");
  if (source != nullptr && source->text_of("kind") == "artifact_contract") {
    Object artifact{{"contract", bare_name(source->text_of("contractRef"), "contracts")}};
    if (source->has("loopId")) artifact.set("loop_id", source->text_of("loopId"));
    out.fields.set("control", std::move(artifact));
  } else if (source != nullptr && source->has("condition")) {
    condition = source->find("condition");
  }
  if (condition != nullptr) out.fields.set("condition", lower_condition(*condition));
}

void StepLowering::parallel(Node& node, Step& out) {
  if (const Node* items = node.find("items")) out.fields.set("items", items_of(*items));
  const Node* most = node.find("max_parallel");
  out.fields.set("max_parallel", most == nullptr ? parallel_tasks : most->integer);
  const Node* wait = node.find("wait_for_all");
  out.fields.set("wait_for_all", wait == nullptr || wait->boolean);
  if (node.has("sub_agent_task")) out.fields.set("task", node.text_of("sub_agent_task"));
  copy(node, out, {"on_sub_agent_error"});
  if (node.has("sub_agent_prompt_override")) {
    out.fields.set("sub_agent_prompt", node.text_of("sub_agent_prompt_override"));
  }
  block(node, "steps", out);
}

void StepLowering::include(Node& node, Step& out) {
  out.fields.set("workflow", node.text_of("workflow"));
  const Node* given = node.find("inputs");
  out.fields.set("inputs", given == nullptr ? json::Value(Object()) : given->to_json());
  if (const Node* frame = node.find("frame")) {
    Object inner;
    if (const Node* declared = frame->find("inputs")) inner.set("inputs", inputs(*declared));
    Object own = state(*frame);
    if (!own.empty()) inner.set("state", std::move(own));
    out.fields.set("frame", std::move(inner));
  }
  block(node, "steps", out);
}

}  // namespace baton::workflow
