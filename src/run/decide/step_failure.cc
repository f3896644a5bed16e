#include "run/decide/step_failure.h"

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/steps/behaviour.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::CompiledWorkflow;
using workflow::ErrorStrategy;
using workflow::Step;

constexpr std::int64_t retries_when_unsaid = 3;

const Value* member(const Object& declared, std::string_view outer, std::string_view inner) {
  const Value* found = declared.find(outer);
  return found == nullptr ? nullptr : found->find(inner);
}

std::string_view text_of(const Value* value) {
  return value != nullptr && value->is_string() ? std::string_view(*value->if_string()) : "";
}

bool is_true(const Value* value) {
  return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
}

std::int64_t number_of(const Value* value, std::int64_t otherwise) {
  return value != nullptr && value->if_int() != nullptr ? *value->if_int() : otherwise;
}

/// Of steps that say nothing themselves, and of the workflow.
std::int64_t most_retries(const CompiledWorkflow& workflow) {
  return number_of(member(workflow.declared, "config", "max_retries"), retries_when_unsaid);
}

/// What the step itself says; nothing when the workflow has to.
std::optional<FailureOutcome> by_step(const CompiledWorkflow& workflow, const Step& step,
                                      std::string_view key, const FailureCounts& setbacks) {
  if (!step.on_error) return std::nullopt;
  const workflow::OnError& on_error = *step.on_error;
  const Value* value = on_error.value.get();
  FailureOutcome out;
  if (on_error.strategy == ErrorStrategy::retry) {
    const std::int64_t left =
        on_error.retries.value_or(most_retries(workflow)) - setbacks.failed_at(key);
    if (left > 0) {
      out.consequence = Consequence::retry;
      out.tries_left = left;
      out.delay_ms = on_error.delay_ms.value_or(0);
      return out;
    }
    if (value == nullptr) return std::nullopt;
  } else if (on_error.strategy == ErrorStrategy::fail) {
    return std::nullopt;
  }
  out.consequence = Consequence::go_on;
  if (value != nullptr) out.value = *value;
  if (value == nullptr && on_error.strategy == ErrorStrategy::fallback) out.value = Value();
  return out;
}

FailureOutcome by_workflow(const CompiledWorkflow& workflow, const FailureCounts& setbacks) {
  const std::string_view strategy =
      text_of(member(workflow.declared, "error_handling", "on_error"));
  FailureOutcome out;
  if (setbacks.error) return out;  // it is failing already
  if (strategy == "continue") {
    out.consequence = Consequence::go_on;
  } else if (strategy == "retry_workflow") {
    out.tries_left = most_retries(workflow) - setbacks.restarts;
    if (out.tries_left > 0) out.consequence = Consequence::restart;
  }
  return out;
}

/// The steps around a failed one and itself, from the outside in.
json::Array trace_of(const CompiledWorkflow& workflow, const Cursor& cursor,
                     const std::string& key) {
  json::Array out;
  for (const BlockLevel& level : levels_of(workflow, cursor)) {
    if (level.owner == nullptr) continue;
    const bool is_loop = behaviour_of(*level.owner).is_loop;
    out.emplace_back(is_loop ? cat(level.owner->id, '@', level.frame->iteration) : level.owner->id);
  }
  out.emplace_back(key);
  return out;
}

std::string tries_text(std::int64_t left) {
  return left == 1 ? "1 more try" : cat(left, " more tries");
}

}  // namespace

FailureOutcome failure_outcome(const CompiledWorkflow& workflow, const Step& step,
                               std::string_view key, const FailureCounts& setbacks,
                               const StepFailure& failure, FailureOwner in) {
  const FailureOutcome otherwise =
      in == FailureOwner::task ? FailureOutcome{} : by_workflow(workflow, setbacks);
  FailureOutcome out = by_step(workflow, step, key, setbacks).value_or(otherwise);
  const std::string* own = step.on_error ? step.on_error->message.get() : nullptr;
  std::string message = failure.message.empty() ? "no reason was given" : failure.message;
  if (own != nullptr && !own->empty()) message = cat(*own, " (", message, ')');
  out.error = {std::string(key), failure.type,
               utf8::truncate(message, limits::end_reason_bytes_max)};
  return out;
}

std::optional<std::int64_t> most_refused(const Step& step) {
  return behaviour_of(step).most_refused == nullptr ? std::nullopt
                                                    : behaviour_of(step).most_refused(step);
}

Blocker blocker_of(const FailureOutcome& failing) {
  ASSERT(failing.consequence == Consequence::retry);
  const std::string wait =
      failing.delay_ms == 0 ? "" : cat("wait ", failing.delay_ms, " ms, then ");
  return {.code = BlockerCode::MISSING_REQUIRED_OUTPUT,
          .pointer = {PointerKind::workflow_step, failing.error.step},
          .message = utf8::truncate(cat("the step failed: ", failing.error.message),
                                    limits::blocker_message_bytes_max),
          .suggested_fix = cat("There ", failing.tries_left == 1 ? "is " : "are ",
                               tries_text(failing.tries_left), ": ", wait,
                               "do the step again and send its result, or say again that it "
                               "failed.")};
}

std::string warning_of(const FailureOutcome& failing) {
  ASSERT(failing.consequence != Consequence::retry);
  const std::string what =
      cat("the step \"", failing.error.step, "\" failed (", failing.error.message, "); ");
  switch (failing.consequence) {
    case Consequence::go_on:
      return cat(what, failing.value ? "the run continues with the workflow's fallback value"
                                     : "the run continues without its result");
    case Consequence::restart:
      return cat(what, "the run restarts at its first step, with ", tries_text(failing.tries_left));
    default: return cat(what, "the run fails");
  }
}

state::Known<FailureWrites> failure_writes(const CompiledWorkflow& workflow, const Step& step,
                                           const FailureOutcome& failing, const Cursor& cursor,
                                           const state::Scope& names,
                                           const UpdateContext& updating) {
  FailureWrites out;
  Object error = to_json(failing.error);
  if (step.error_update) {
    out.own = TRY(writes_of(json::Array{*step.error_update},
                            names.with("error", state::Tree::from(Value(error))), updating));
  }
  const Value* collection = member(workflow.declared, "error_handling", "error_collection");
  if (collection == nullptr || !is_true(collection->find("enabled"))) return out;
  const Value* text = collection->find("state_path");
  const state::Path path =
      TRY(state::parse_path(text == nullptr ? "raw.workflow_errors" : text_of(text)));
  if (is_true(collection->find("include_stack_traces"))) {
    error.set("stack_trace", trace_of(workflow, cursor, failing.error.step));
  }
  out.noted.push_back({path, state::Operation::append, std::move(error)});
  return out;
}

}  // namespace baton::run
