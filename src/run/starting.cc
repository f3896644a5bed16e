#include "run/starting.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "run/commanding.h"
#include "run/inputs.h"
#include "run/preferences.h"
#include "run/proving.h"
#include "run/recording.h"
#include "run/supported.h"

namespace baton::run {

namespace {

Result<json::Object> given_inputs(const workflow::CompiledWorkflow& workflow,
                                  const json::Object& context, Scripts& scripts) {
  const json::Value* declared = workflow.fields.find("inputs");
  if (declared == nullptr || !declared->is_object()) return context;
  auto given = with_evaluated_defaults(*declared->if_object(), context, scripts);
  if (!given) given.error().message += "; nothing was started";
  return given;
}

}  // namespace

Result<std::optional<Decided>> Starting::go(state::Answers& answers, Looks& looks) {
  if (!walk_) TRY(begin(answers));
  if (answers.is_lacking()) return std::nullopt;
  if (!has_arrived_) TRY(walk(answers));
  if (answers.is_lacking()) return std::nullopt;
  if (!has_looked_) TRY(begin_proof(answers, looks));
  if (answers.is_lacking() || looks.is_lacking()) return std::nullopt;
  Scripts scripts(answers, draw_of_act(draw_.drawn, 0), command_.schemas);
  auto intended = intended_at(workflow(), state_, command_.runner, scripts);
  if (answers.is_lacking()) return std::nullopt;
  if (!intended) intended.error().message += "; nothing was started";
  if (auto process = TRY(std::move(intended))) append_fact(facts_, state_, *std::move(process));
  auto reply = reply_at(workflow(), state_, {}, command_.minting, scripts);
  if (answers.is_lacking()) return std::nullopt;
  return decided(TRY(std::move(reply)), scripts.used());
}

/// What was sent, checked and kept, and the first state.
Result<void> Starting::begin(state::Answers& answers) {
  if (!has_begun_) {
    const auto settled = settle(answers);
    if (answers.is_lacking()) return {};
    TRY(settled);
    answers.forget();
    has_begun_ = true;
  }
  if (command_.schemas != nullptr) {
    const Updating updating{*command_.schemas, draw_of_act(draw_.drawn, 0), answers};
    auto first = first_frame(workflow(), *state_.context, updating);
    if (answers.is_lacking()) return {};
    if (!first) {
      first.error().message =
          cat("the first state: ", first.error().message, "; nothing was started");
      return std::unexpected(std::move(first).error());
    }
    answers.forget();
    TRY(append_update(facts_, state_, *std::move(first)));
  }
  walk_ = Walk::to_first(workflow(), command_.schemas, state_);
  return {};
}

Result<void> Starting::settle(state::Answers& answers) {
  TRY(check_supported(workflow()));
  TRY(check_text("goal", command_.goal, limits::goal_bytes_max));
  if (command_.workspace_path) TRY(check_path("workspacePath", *command_.workspace_path));
  state_.session = draw_.session;
  state_.run = draw_.run;
  state_.node = draw_.node;
  state_.workflow_id = workflow().id;
  state_.workflow_hash = command_.workflow->hash;
  state_.workspace = command_.workspace_path.value_or("");
  const PreferencesDelta preferences{
      .autonomy = command_.preferences.autonomy.value_or(command_.defaults.autonomy),
      .risk_policy = command_.preferences.risk_policy.value_or(command_.defaults.risk_policy)};
  Scripts scripts(answers, draw_of_act(draw_.drawn, 0));
  auto given = given_inputs(workflow(), command_.context, scripts);
  if (answers.is_lacking()) return {};
  return append_settings(facts_, state_, TRY(with_inputs(workflow(), TRY(std::move(given)))),
                         ContextSource::initial, preferences);
}

Result<void> Starting::walk(state::Answers& answers) {
  const auto gone = walk_->go(answers, draw_.drawn);
  if (answers.is_lacking()) return {};
  TRY(gone);
  Walked walked = std::move(*walk_).arrived();
  if (walked.obstacle) {
    return fail(Code::INVALID_INPUT, cat(walked.obstacle->finding.message, "; nothing was started"),
                cat("call start_workflow again: ", walked.obstacle->finding.fix));
  }
  for (StateUpdated& each : walked.updates) {
    TRY(append_update(facts_, state_, std::move(each)));
  }
  move_to(state_, workflow(), std::move(walked.cursor), std::move(walked.items));
  append_trace(facts_, state_.run, state_.node, std::move(walked.trace));
  has_arrived_ = true;
  return {};
}

Result<void> Starting::begin_proof(state::Answers& answers, Looks& looks) {
  Scripts scripts(answers, draw_of_act(draw_.drawn, 0), command_.schemas);
  auto begun = run::begin_proof(workflow(), state_, scripts, looks);
  if (answers.is_lacking() || looks.is_lacking()) return {};
  if (auto fact = TRY(std::move(begun))) append_fact(facts_, state_, *std::move(fact));
  answers.forget();
  has_looked_ = true;
  return {};
}

Decided Starting::decided(Reply reply, json::Object shown) {
  keep_shown(state_, std::move(shown));
  Decided out;
  out.events = {SessionCreated{},
                RunStarted{state_.run, workflow().id, command_.workflow->hash, command_.goal},
                NodeCreated{.run = state_.run,
                            .node = state_.node,
                            .parent = std::nullopt,
                            .kind = NodeKind::step,
                            .position = state_.cursor.position,
                            .open_steps = state_.open_steps,
                            .settled_step = {},
                            .frames = state_.cursor.frames,
                            .shown = state_.shown_values(),
                            .items = state_.items}};
  if (command_.workspace_path) {
    out.events.push_back(
        ObservationRecorded{state_.run, ObservationKey::workspace_path, *command_.workspace_path});
  }
  for (const auto& [key, value] : command_.observed) {
    out.events.push_back(ObservationRecorded{state_.run, key, value});
  }
  std::ranges::move(facts_, std::back_inserter(out.events));
  out.dedupe_key = "start";
  out.drawn = draw_.drawn;
  out.reply = std::move(reply);
  out.reply.warnings = preference_warnings(workflow(), state_.preferences);
  if (state_.workspace.empty() && needs_workspace(workflow())) {
    out.reply.warnings.emplace_back(
        "steps of this workflow prove their work in a folder, and this run has none: start it with "
        "workspacePath, the absolute path of that folder");
  }
  out.state = std::move(state_);
  return out;
}

}  // namespace baton::run
