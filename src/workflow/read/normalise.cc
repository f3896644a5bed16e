#include "workflow/read/normalise.h"

#include <algorithm>
#include <cmath>

#include "base/schema/pattern.h"
#include "base/schema/schema.h"
#include "base/text/text.h"
#include "workflow/check/word_set.h"
#include "workflow/text/expression.h"

namespace baton::workflow {
namespace {

/// From here on a bare `timeout` is milliseconds, also where others count seconds; below it, in a
/// native file, more likely seconds.
constexpr double likely_ms_min = 1'000;

double number_of(const SyntaxNode& node) {
  return node.is_integer() ? static_cast<double>(node.integer) : node.number;
}

SyntaxNode milliseconds(const SyntaxNode& from, double factor) {
  constexpr double most = 1e15;
  const double value = std::min(std::round(number_of(from) * factor), most);
  return SyntaxNode::of_integer(static_cast<std::int64_t>(value), from.at);
}

void timeouts(SyntaxNode& step, const CheckContext& context) {
  std::vector<SyntaxNode> given;
  for (const std::string_view key : {"timeout", "timeout_ms", "timeout_seconds"}) {
    if (const SyntaxNode* found = step.find(key)) given.push_back(*found);
    step.erase(key);
  }
  if (given.size() > 1) {
    context.diagnostics.error(
        Code::WORKFLOW_DUPLICATE_KEY, given[1].key_at,
        cat("\"", given[0].key, "\" and \"", given[1].key, "\" are two names of one key"),
        "keep one of them");
  }
  if (given.empty()) return;
  const SyntaxNode& found = given[0];
  const bool is_bare = found.key == "timeout";
  const double value = number_of(found);
  const bool is_aromcp = context.dialect == Dialect::aromcp;
  const bool bare_is_seconds = is_aromcp && value < likely_ms_min;
  if (is_bare && is_aromcp && !bare_is_seconds) {
    context.diagnostics.warning(Code::WORKFLOW_TIMEOUT_UNIT, found.at,
                                "AroMCP counts seconds; so many are taken for milliseconds here",
                                "name the unit: timeout_seconds or timeout_ms");
  } else if (is_bare && !is_aromcp && value > 0 && value < likely_ms_min) {
    context.diagnostics.warning(Code::WORKFLOW_TIMEOUT_UNIT, found.at,
                                "a bare \"timeout\" is milliseconds here",
                                "name the unit: timeout_seconds");
  }
  const bool seconds = found.key == "timeout_seconds" || (is_bare && bare_is_seconds);
  step.set("timeout_ms", milliseconds(found, seconds ? 1'000 : 1));
}

SyntaxNode number_node(double value, const SourcePlace& at) {
  if (value == std::trunc(value) && std::abs(value) < 1e15) {
    return SyntaxNode::of_integer(static_cast<std::int64_t>(value), at);
  }
  SyntaxNode node = SyntaxNode::of_integer(0, at);
  node.type = json::Type::number;
  node.number = value;
  return node;
}

/// Names of the result of a step, in AroMCP's words.
constexpr WordSet result_names("result", "response", "data", "stdout", "input", "user_input",
                               "exit_code", "returncode");
/// Names under which its values read the state.
constexpr WordSet state_scopes("this", "state", "computed", "inputs", "global", "loop", "raw");
constexpr WordSet told_results("data", "response", "stdout", "exit_code", "returncode");

std::string joined_from(const std::vector<std::string_view>& path, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < path.size(); ++i) out += cat(i == from ? "" : ".", path[i]);
  return out;
}

/// The expression for a path into the result. Agents send what a tool gave them with or without the
/// object around it.
std::string result_expression(const std::vector<std::string_view>& path) {
  std::string rest;
  for (std::size_t i = 1; i < path.size(); ++i) rest += cat("?.", path[i]);
  const std::string_view first = path[0];
  if (first == "exit_code" || first == "returncode") return cat("result?.", first, " ?? 0");
  if (first == "result") return cat("result", rest.empty() ? "" : ".", joined_from(path, 1));
  const bool is_around = first == "data" || first == "response";
  if (!is_around) return rest.empty() ? std::string("result") : cat("result", rest, " ?? null");
  if (rest.empty()) return first == "response" ? std::string("result") : "result?.data ?? result";
  return cat("result?.", first, rest, " ?? result", rest, " ?? null");
}

/// Whether a text is code that reads the state: what it names is all of the state.
bool reads_state(std::string_view text) {
  if (text.find_first_of("+-*/<>&|=?`.") == std::string_view::npos) return false;
  const std::vector<Name> names = free_names(text);
  bool found = false;
  for (const Name& each : names) {
    const bool is_scope = state_scopes.contains(each.text) && !each.property.empty();
    if (!is_scope && !is_script_global(each.text)) return false;
    found = found || is_scope;
  }
  return found;
}

/// A text that is a number, a list or an object as AroMCP's JavaScript reads it.
std::optional<SyntaxNode> literal(std::string_view text, const SourcePlace& at) {
  const bool may_be = !text.empty() && std::string_view("-0123456789[{").contains(text.front());
  if (!may_be) return std::nullopt;
  const auto value = json::parse(text);
  if (!value) return std::nullopt;
  if (value->is_number()) return number_node(value->as_double(), at);
  if (!value->is_array() && !value->is_object()) return std::nullopt;
  SyntaxNode out = value->is_array() ? SyntaxNode::array(at) : SyntaxNode::object(at);
  const bool is_empty =
      value->is_array() ? value->if_array()->empty() : value->if_object()->empty();
  if (is_empty) return out;
  return SyntaxNode::of_text(cat("{{ (", text, ") }}"), at);
}

/// In files of AroMCP the value of a write names what it takes; elsewhere it is the value itself.
void aromcp_value(SyntaxNode& update, const CheckContext& context) {
  const SyntaxNode* value = update.find("value");
  if (value == nullptr || !value->is_text()) return;
  const std::string text = value->text;
  const SourcePlace at = value->at;
  if (auto plain = literal(text, at)) {
    update.set("value", *std::move(plain));
    return;
  }
  const auto path = plain_path(text);
  if (!path) {
    if (text.find("{{") == std::string::npos && reads_state(text)) {
      update.set("value", SyntaxNode::of_text(cat("{{ ", text, " }}"), at));
    }
    return;
  }
  const std::string_view first = path->at(0);
  const bool is_result =
      result_names.contains(first) && !context.declared.contains(std::string(first));
  if (is_result) {
    const std::string code = result_expression(*path);
    if (told_results.contains(first) && text != "stdout" && text != "response") {
      context.diagnostics.warning(
          Code::WORKFLOW_WRONG_VALUE, at,
          cat('"', text, "\" is taken for a part of the step's result, and not for text"),
          cat("write {{ ", code, " }}, or declare \"", first, "\" in the state"));
    }
    update.set("value", SyntaxNode::of_text(cat("{{ ", code, " }}"), at));
  } else if (path->size() > 1 && state_scopes.contains(first)) {
    update.set("value", SyntaxNode::of_text(cat("{{ ", text, " }}"), at));
  }
}

void result_value(SyntaxNode& update, const CheckContext& context) {
  if (update.has("value")) {
    if (context.dialect == Dialect::aromcp) aromcp_value(update, context);
    return;
  }
  const SyntaxNode* operation = update.find("operation");
  const bool counts =
      operation != nullptr && (operation->text == "increment" || operation->text == "decrement");
  const SourcePlace at = update.at;
  update.set("value",
             counts ? SyntaxNode::of_integer(1, at) : SyntaxNode::of_text("{{ result }}", at));
}

/// One list of writes from updates, state_update, state_updates, store_result and store_response.
void updates(SyntaxNode& step, const CheckContext& context) {
  SyntaxNode list = SyntaxNode::array(step.at);
  if (const SyntaxNode* found = step.find("updates")) list = *found;
  if (SyntaxNode* one = step.find("state_update"); one != nullptr && one->is_object()) {
    result_value(*one, context);
    list.append(*one);
  }
  if (SyntaxNode* several = step.find("state_updates")) {
    for (SyntaxNode& each : several->children) {
      result_value(each, context);
      list.append(each);
    }
  }
  for (const std::string_view key : {"store_result", "store_response"}) {
    if (const SyntaxNode* path = step.find(key)) {
      SyntaxNode update = SyntaxNode::object(path->at);
      update.set("path", *path);
      update.set("value", SyntaxNode::of_text("{{ result }}", path->at));
      list.append(std::move(update));
    }
    step.erase(key);
  }
  step.erase("state_update");
  step.erase("state_updates");
  for (SyntaxNode& each : list.children) {
    each.key.clear();
    if (!each.has("operation")) each.set("operation", SyntaxNode::of_text("set", each.at));
  }
  if (!list.children.empty()) step.set("updates", std::move(list));
}

/// {strategy, retries, delay_ms, value, message} from both spellings.
void error_strategy(SyntaxNode& step) {
  SyntaxNode out = SyntaxNode::object(step.at);
  if (const SyntaxNode* found = step.find("on_error")) {
    out.set("strategy", *found);
    out.at = found->at;
  }
  const auto move = [&](SyntaxNode& from, std::string_view key, std::string_view to) {
    if (const SyntaxNode* found = from.find(key)) out.set(to, *found);
    from.erase(key);
  };
  move(step, "retry_count", "retries");
  if (const SyntaxNode* delay = step.find("retry_delay"))
    out.set("delay_ms", milliseconds(*delay, 1));
  step.erase("retry_delay");
  move(step, "fallback_value", "value");
  if (SyntaxNode* handling = step.find("error_handling")) {
    move(*handling, "strategy", "strategy");
    move(*handling, "max_retries", "retries");
    move(*handling, "fallback_value", "value");
    move(*handling, "error_message", "message");
  }
  step.erase("error_handling");
  step.erase("on_error");
  if (!out.children.empty()) {
    if (!out.has("strategy")) {
      const std::string_view meant = out.has("retries") ? "retry"
                                     : out.has("value") ? "fallback"
                                                        : "fail";
      out.set("strategy", SyntaxNode::of_text(std::string(meant), out.at));
    }
    step.set("on_error", std::move(out));
  }
}

/// What has several spellings, or a default, in some step; a step without any is as it should be.
constexpr WordSet spelled_keys("timeout", "timeout_ms", "timeout_seconds", "mcp", "path",
                               "operation", "value", "updates", "state_update", "state_updates",
                               "store_result", "store_response", "on_error", "retry_count",
                               "retry_delay", "fallback_value", "error_handling",
                               "error_state_update");

bool needs_nothing(const SyntaxNode& step) {
  return step.text_of("type") == "prompt" &&
         std::ranges::none_of(step.children, [](const SyntaxNode& child) {
           return spelled_keys.contains(child.key);
         });
}

/// Rules for an answer that AroMCP passes on and Baton cannot check are left out.
void take_out_rules(SyntaxNode& step, Diagnostics& diagnostics) {
  const auto warn = [&](const SyntaxNode& at, const std::string& problem) {
    diagnostics.warning(Code::WORKFLOW_WRONG_VALUE, at.at,
                        cat(problem, "; the answer is not checked for it"));
  };
  SyntaxNode* validation = step.find("validation");
  const SyntaxNode* pattern = validation == nullptr ? nullptr : validation->find("pattern");
  if (pattern != nullptr && pattern->is_text()) {
    const auto compiled = schema::Pattern::compile(pattern->text);
    if (!compiled) {
      warn(*pattern, cat("the pattern: ", compiled.error().message));
      validation->erase("pattern");
    }
  }
  const SyntaxNode* expected = step.find("expected_response");
  if (expected != nullptr && expected->is_object()) {
    const auto compiled = schema::Schema::compile(expected->to_json(), {});
    if (!compiled) {
      warn(*expected, cat("the schema: ", compiled.error().message));
      step.erase("expected_response");
    }
  }
}

void normalise_step(SyntaxNode& step, const CheckContext& context) {
  if (context.dialect == Dialect::aromcp) take_out_rules(step, context.diagnostics);
  if (needs_nothing(step)) return;
  timeouts(step, context);
  const StepType* type = find_step_type(step.text_of("type"));
  if (type->normalise != nullptr) type->normalise(step, context);
  updates(step, context);
  error_strategy(step);
  if (SyntaxNode* update = step.find("error_state_update")) {
    if (!update->has("operation")) update->set("operation", SyntaxNode::of_text("set", update->at));
    if (!update->has("value")) update->set("value", SyntaxNode::of_text("{{ error }}", update->at));
  }
}

/// The names that the state of a document, or of a task in it, has.
void add_declared(const SyntaxNode& owner, std::set<std::string>& names) {
  for (const std::string_view part : {"default_state", "state_schema"}) {
    const SyntaxNode* found = owner.find(part);
    if (found == nullptr) continue;
    for (const SyntaxNode& tier : found->children) {
      for (const SyntaxNode& field : tier.children) names.insert(field.key);
    }
  }
  if (const SyntaxNode* inputs = owner.find("inputs")) {
    for (const SyntaxNode& each : inputs->children) names.insert(each.key);
  }
  const SyntaxNode* tasks = owner.find("sub_agent_tasks");
  for (std::size_t i = 0; tasks != nullptr && i < tasks->children.size(); ++i) {
    add_declared(tasks->children[i], names);
  }
}

/// `{{ path }}` where a path is written.
void bare_path(SyntaxNode& path) {
  if (!path.is_text() || path.text.find("{{") == std::string::npos) return;
  const std::string bare = bare_expression(path.text);
  if (plain_path(bare)) path.text = bare;
}

constexpr WordSet item_names("item", "index", "total", "task_id", "parent_step_id");

/// A computed field of a task that follows its item follows an input of that name.
void item_to_input(SyntaxNode& path, SyntaxNode& owner) {
  std::string_view name = path.text;
  if (name.starts_with("loop.")) name.remove_prefix(5);
  const std::string first(name.substr(0, name.find('.')));
  if (!item_names.contains(first)) return;
  const std::string whole = cat("inputs.", name);
  if (!owner.has("inputs")) owner.set("inputs", SyntaxNode::object(owner.at));
  SyntaxNode& inputs = *owner.find("inputs");
  if (!inputs.has(first)) {
    SyntaxNode input = SyntaxNode::object(path.at);
    SyntaxNode no;
    no.type = json::Type::boolean;
    no.at = path.at;
    no.boolean = false;
    input.set("required", std::move(no));
    inputs.set(first, std::move(input));
  }
  path.text = whole;
}

void settle_computed(SyntaxNode& owner, bool is_task) {
  SyntaxNode* schema = owner.find("state_schema");
  SyntaxNode* computed = schema == nullptr ? nullptr : schema->find("computed");
  if (computed == nullptr) return;
  // Inputs may be added meanwhile, which moves the children of the owner.
  std::vector<SyntaxNode> fields = std::move(computed->children);
  for (SyntaxNode& field : fields) {
    SyntaxNode* from = field.find("from");
    if (from == nullptr) continue;
    const auto settle = [&](SyntaxNode& path) {
      bare_path(path);
      if (is_task) item_to_input(path, owner);
    };
    if (from->is_text()) settle(*from);
    for (SyntaxNode& each : from->children) settle(each);
  }
  owner.find("state_schema")->find("computed")->children = std::move(fields);
}

void settle_as_aromcp(SyntaxNode& root, const CheckContext& context) {
  settle_computed(root, false);
  if (SyntaxNode* tasks = root.find("sub_agent_tasks")) {
    for (SyntaxNode& task : tasks->children) settle_computed(task, true);
  }
  SyntaxNode* config = root.find("config");
  const SyntaxNode* timeout = config == nullptr ? nullptr : config->find("timeout_seconds");
  if (timeout == nullptr) return;
  context.diagnostics.warning(Code::WORKFLOW_KEY_IGNORED, timeout->key_at,
                              "\"config.timeout_seconds\" has no effect, here as in AroMCP",
                              "give the steps that may take long a timeout_seconds of their own");
  config->erase("timeout_seconds");
}

}  // namespace

void normalise_steps(SyntaxNode& root, const CheckContext& context) {
  // Depth is bounded by the reader.
  for (SyntaxNode& child : root.children) {
    if (child.is_object() || child.is_array()) normalise_steps(child, context);
  }
  const bool is_step = root.is_object() && root.key.empty() && root.has("type") && root.has("id");
  if (is_step && find_step_type(root.text_of("type")) != nullptr) normalise_step(root, context);
}

void normalise_document(SyntaxNode& root, Dialect dialect, Diagnostics& diagnostics) {
  CheckContext context{dialect, diagnostics, {}};
  if (dialect == Dialect::aromcp) {
    add_declared(root, context.declared);
    settle_as_aromcp(root, context);
  }
  normalise_steps(root, context);
}

}  // namespace baton::workflow
