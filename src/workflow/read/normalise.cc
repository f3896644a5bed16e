#include "workflow/read/normalise.h"

#include <algorithm>
#include <cmath>

#include "base/text/text.h"
#include "workflow/check/word_set.h"
#include "workflow/text/expression.h"

namespace baton::workflow {
namespace {

/// Below this a bare `timeout` in a native file, and from this on in one of AroMCP, is more likely
/// in the other unit.
constexpr double likely_ms_min = 1'000;
constexpr double likely_seconds_max = 10'000;

double number_of(const SyntaxNode& node) {
  return node.is_integer() ? static_cast<double>(node.integer) : node.number;
}

SyntaxNode milliseconds(const SyntaxNode& from, double factor) {
  constexpr double most = 1e15;
  const double value = std::min(std::round(number_of(from) * factor), most);
  return SyntaxNode::of_integer(static_cast<std::int64_t>(value), from.at);
}

void timeouts(SyntaxNode& step, const CheckContext& context) {
  const bool bare_is_seconds = context.dialect == Dialect::aromcp;
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
  if (found.key == "timeout") {
    const double value = number_of(found);
    const bool suspicious =
        bare_is_seconds ? value >= likely_seconds_max : value > 0 && value < likely_ms_min;
    if (suspicious) {
      context.diagnostics.warning(
          Code::WORKFLOW_TIMEOUT_UNIT, found.at,
          cat("a bare \"timeout\" is ", bare_is_seconds ? "seconds" : "milliseconds", " here"),
          cat("name the unit: timeout_", bare_is_seconds ? "ms" : "seconds"));
    }
  }
  const bool seconds =
      found.key == "timeout_seconds" || (found.key == "timeout" && bare_is_seconds);
  step.set("timeout_ms", milliseconds(found, seconds ? 1'000 : 1));
}

/// In files of AroMCP the value of a write names what it takes; elsewhere it is the value itself.
void result_value(SyntaxNode& update, const CheckContext& context) {
  const SyntaxNode* value = update.find("value");
  if (value == nullptr) {
    const SyntaxNode* operation = update.find("operation");
    const bool counts =
        operation != nullptr && (operation->text == "increment" || operation->text == "decrement");
    const SourcePlace at = update.at;
    update.set("value",
               counts ? SyntaxNode::of_integer(1, at) : SyntaxNode::of_text("{{ result }}", at));
    return;
  }
  if (context.dialect != Dialect::aromcp || !value->is_text()) return;
  const std::string_view text = value->text;
  const auto path = plain_path(text);
  if (!path) return;
  const SourcePlace at = value->at;
  if (text == "stdout" || text == "response" || text == "input" || text == "user_input") {
    update.set("value", SyntaxNode::of_text("{{ result }}", at));
  } else if (path->at(0) == "result" || path->at(0) == "this" || path->at(0) == "inputs" ||
             path->at(0) == "global" || path->at(0) == "loop") {
    update.set("value", SyntaxNode::of_text(cat("{{ ", text, " }}"), at));
  }
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

void normalise_step(SyntaxNode& step, const CheckContext& context) {
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

}  // namespace

void normalise_steps(SyntaxNode& root, const CheckContext& context) {
  // Depth is bounded by the reader.
  for (SyntaxNode& child : root.children) {
    if (child.is_object() || child.is_array()) normalise_steps(child, context);
  }
  const bool is_step = root.is_object() && root.key.empty() && root.has("type") && root.has("id");
  if (is_step && find_step_type(root.text_of("type")) != nullptr) normalise_step(root, context);
}

}  // namespace baton::workflow
