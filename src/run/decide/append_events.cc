#include "run/decide/append_events.h"

#include "base/core/budget_limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/walk/scope.h"

namespace baton::run {
namespace {

using json::Object;

Preferences effective(Preferences base, const PreferencesDelta& delta) {
  if (delta.autonomy) base.autonomy = *delta.autonomy;
  if (delta.risk_policy) base.risk_policy = *delta.risk_policy;
  return base;
}

}  // namespace

Result<void> check_text(std::string_view what, std::string_view text, std::size_t bytes_max,
                        std::string_view next) {
  if (text.size() > bytes_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat(what, ": ", text.size(), " bytes; at most ", bytes_max, " are kept"),
                std::string(next));
  }
  if (!utf8::is_valid(text)) return fail(Code::INVALID_UTF8, cat(what, " is not UTF-8"));
  return {};
}

Result<void> check_path(std::string_view what, std::string_view path) {
  TRY(check_text(what, path, limits::workspace_path_bytes_max));
  if (path.empty() || path.front() != '/' || path.contains('\0')) {
    return fail(Code::INVALID_INPUT, cat(what, " is not an absolute path"),
                "begin it with /, or leave it out");
  }
  return {};
}

Result<void> check_sizes(const StepInput& input) {
  if (input.notes) TRY(check_text("notes", *input.notes, limits::blob_bytes_max));
  if (input.artifacts.size() > limits::artifacts_per_output_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("artifacts: ", input.artifacts.size(), " of them; at most ",
                    limits::artifacts_per_output_max, " are taken at once"));
  }
  for (const json::Value& content : input.artifacts) {
    if (json::is_longer_than(content, limits::blob_bytes_max)) {
      return fail(Code::LIMIT_EXCEEDED,
                  cat("artifacts: more than ", limits::blob_bytes_max, " bytes; at most ",
                      limits::blob_bytes_max, " are kept"),
                  "send less, or name a file that holds it");
    }
  }
  if (input.tokens_used < 0 || input.tokens_used > limits::reported_tokens_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the tokens that were used: ", input.tokens_used, "; one call reports 0 to ",
                    limits::reported_tokens_max),
                "send the number for this call alone, or leave it out");
  }
  return check_context_size(input.context);
}

Result<void> append_output(std::vector<Event>& events, const RunId& run, const NodeId& node,
                           const StepInput& input) {
  TRY(check_sizes(input));
  if (input.notes) events.push_back(NodeOutputAppended{run, node, Notes{*input.notes}});
  for (const json::Value& content : input.artifacts) {
    TRY(check_numbers("artifacts", content));
    const std::string text = TRY(json::canonical(content));
    TRY(check_text("artifacts", text, limits::blob_bytes_max));
    events.push_back(NodeOutputAppended{run, node, Artifact{sha256(text), content}});
  }
  return {};
}

Result<void> append_settings(std::vector<Event>& events, NodeState& state, const Object& context,
                             ContextSource source, const PreferencesDelta& preferences,
                             const std::optional<PreferenceChange>& change) {
  if (!context.empty()) {
    auto merged = std::make_shared<Object>(*state.context);
    TRY(merge_context(*merged, context));
    state.context = std::move(merged);
    events.push_back(ContextSet{state.run, state.node, source, context});
  }
  const Preferences changed = effective(state.preferences, preferences);
  if (changed != state.preferences) {
    append_fact(events, state, PreferencesChanged{state.run, state.node, changed, change});
  }
  return {};
}

void append_fact(std::vector<Event>& events, NodeState& state, Event fact) {
  std::visit(
      [&](const auto& e) {
        if constexpr (requires { apply(state, e); }) apply(state, e);
      },
      fact);
  events.push_back(std::move(fact));
}

void append_policy(std::vector<Event>& events, NodeState& state, const Policy& policy) {
  std::vector<PolicyEntry> entries = entries_of(policy);
  if (entries == state.known().policy) return;
  append_fact(events, state, PolicyApplied{state.run, state.node, std::move(entries)});
}

Result<void> append_update(std::vector<Event>& events, NodeState& state, StateUpdated update) {
  update.run = state.run;
  update.node = state.node;
  TRY(replay(state.states, update));
  events.push_back(std::move(update));
  return {};
}

void move_to(NodeState& state, const workflow::CompiledWorkflow& workflow, Cursor cursor,
             std::shared_ptr<const json::Value> items) {
  state.cursor = std::move(cursor);
  state.items = std::move(items);
  state.open_steps.clear();
  if (step_at(workflow, state.cursor) != nullptr) {
    state.open_steps.push_back(key_at(workflow, state.cursor));
  }
  state.evidence = nullptr;  // also of a step that is open once more: it begins again
}

}  // namespace baton::run
