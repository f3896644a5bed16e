#include "run/decide/start.h"

#include <algorithm>
#include <iterator>

#include "base/text/text.h"
#include "run/checks/check_evidence.h"
#include "run/decide/append_events.h"
#include "run/decide/brakes.h"
#include "run/decide/gates.h"
#include "run/decide/preferences.h"
#include "run/decide/supported.h"
#include "run/graph/frames.h"
#include "run/graph/workflow_inputs.h"

namespace baton::run {

namespace {

Known<json::Object> given_inputs(const workflow::CompiledWorkflow& workflow,
                                 const json::Object& context, Scripts& scripts) {
  const json::Value* declared = workflow.declared.find("inputs");
  if (declared == nullptr || !declared->is_object()) return context;
  auto given = with_evaluated_defaults(*declared->if_object(), context, scripts);
  Error* error = given ? nullptr : given.error().if_error();
  if (error != nullptr) error->message += "; nothing was started";
  return given;
}

}  // namespace

StartDecision::StartDecision(StartCommand command, const FreshValues& draw)
    : FirstStepDecision(command, draw), command_(std::move(command)) {}

/// What was sent, checked and kept, and the first state.
Known<void> StartDecision::begin(state::ScriptAnswers& answers) {
  if (!has_begun_) {
    TRY(settle(answers));
    answers.forget();
    has_begun_ = true;
  }
  if (command_.schemas != nullptr) {
    const UpdateContext updating{*command_.schemas, draw_of_act(draw_.drawn, 0), answers};
    auto first = first_frame(workflow(), *state_.context, updating);
    if (!first) {
      if (Error* error = first.error().if_error()) {
        error->message = cat("the first state: ", error->message, "; nothing was started");
      }
      return std::unexpected(std::move(first).error());
    }
    answers.forget();
    TRY(append_update(facts_, state_, *std::move(first)));
  }
  walk_ = Walk::to_first(workflow(), command_.schemas, state_);
  return {};
}

Known<void> StartDecision::settle(state::ScriptAnswers& answers) {
  TRY(check_supported(workflow()));
  TRY(check_text("goal", command_.goal, limits::goal_bytes_max));
  TRY(check_context_size(command_.context));
  if (command_.workspace_path) TRY(check_path("the workspace", *command_.workspace_path));
  state_.session = draw_.session;
  state_.run = draw_.run;
  state_.node = draw_.node;
  state_.workflow_id = workflow().id;
  state_.workflow_hash = command_.workflow->hash;
  state_.workflow_form = form_in_log();
  state_.workspace = command_.workspace_path.value_or("");
  CappedWish wish = below_ceilings(
      {.autonomy = command_.preferences.autonomy.value_or(command_.defaults.autonomy),
       .risk_policy = command_.preferences.risk_policy.value_or(command_.defaults.risk_policy)},
      command_.policy);
  const PreferencesDelta preferences = wish.wish;
  capped_ = std::move(wish.alerts);
  Scripts scripts(answers, draw_of_act(draw_.drawn, 0));
  const json::Object given = TRY(given_inputs(workflow(), command_.context, scripts));
  // What the server itself gives to runs needs no source; what a caller adds to it does.
  std::optional<PreferenceChange> change;
  if (is_raise(command_.defaults, {*preferences.autonomy, *preferences.risk_policy})) {
    change = PreferenceChange{command_.defaults, command_.source};
  }
  TRY(check_budget(command_.budget));
  TRY(append_settings(facts_, state_, TRY(with_inputs(workflow(), given)), ContextSource::initial,
                      preferences, change));
  const Budget budget = strictest(budget_of(workflow()), command_.budget);
  if (budget.empty()) return {};
  const WallMs now = draw_.drawn.now;
  append_fact(facts_, state_, BudgetSet{state_.run, state_.node, budget, command_.source});
  append_fact(facts_, state_, UsageCounted{state_.run, state_.node, {.started = now, .at = now}});
  return {};
}

Error StartDecision::obstructed(const MissingLoopInput& obstacle) const {
  return Error::make(Code::INVALID_INPUT, cat(obstacle.finding.message, "; nothing was started"),
                     {Move::start_again, obstacle.finding.fix});
}

RunStarted StartDecision::started() const {
  return {state_.run, workflow().id, command_.workflow->hash, command_.goal, {}, form_in_log()};
}

std::vector<std::pair<ObservationKey, std::string>> StartDecision::observed() const {
  auto out = command_.observed;
  if (command_.workspace_path) {
    out.emplace(out.begin(), ObservationKey::workspace_path, *command_.workspace_path);
  }
  return out;
}

std::vector<std::string> StartDecision::warnings() const {
  std::vector<std::string> out = capped_;
  std::ranges::move(preference_warnings(workflow(), state_.preferences), std::back_inserter(out));
  if (state_.workspace.empty() && needs_workspace(workflow())) {
    out.emplace_back(
        "steps of this workflow need evidence from a folder, and this run has none: start it with "
        "a workspace, the absolute path of that folder");
  }
  const std::int64_t gates = count_gates(workflow());
  if (gates > 0 && state_.preferences.autonomy == Autonomy::full_auto_never_stop) {
    out.push_back(cat(gates,
                      gates == 1 ? " step has a gate of its own" : " steps have gates of their own",
                      ": the run waits there for a person, in this mode too"));
  }
  return out;
}

}  // namespace baton::run
