#include "run/decide/first_step.h"

#include <algorithm>
#include <iterator>

#include "run/checks/check_evidence.h"
#include "run/decide/append_events.h"
#include "run/decide/gates.h"
#include "run/effects/place_effect.h"
#include "run/walk/scope.h"

namespace baton::run {

Known<Decided> FirstStepDecision::go(state::ScriptAnswers& answers, Probes& looks) {
  if (!walk_) TRY(begin(answers));
  if (!has_arrived_) TRY(walk(answers));
  if (!has_looked_) TRY(begin_evidence(answers, looks));
  Scripts scripts(answers, draw_of_act(draw_.drawn, 0), given_.schemas);
  if (!TRY(waits_for_effect(scripts, looks))) {
    TRY(begin_command({workflow(), given_.runner, given_.policy, draw_.drawn.now}, state_, facts_,
                      scripts));
  }
  append_policy(facts_, state_, given_.policy);
  Reply reply = TRY(reply_at(workflow(), state_, {}, given_.minting, scripts));
  return decided(std::move(reply), scripts.used());
}

Known<void> FirstStepDecision::walk(state::ScriptAnswers& answers) {
  TRY(walk_->go(answers, draw_.drawn));
  Walked walked = std::move(*walk_).arrived();
  if (walked.obstacle) return std::unexpected(obstructed(*walked.obstacle));
  for (StateUpdated& each : walked.updates) {
    TRY(append_update(facts_, state_, std::move(each)));
  }
  move_to(state_, workflow(), std::move(walked.cursor), std::move(walked.items));
  append_trace(facts_, state_.run, state_.node, std::move(walked.trace));
  for (const LoopCut& cut : walked.cuts) {
    late_warnings_.push_back(cut.message);
    if (!cut.leaves_work) continue;
    Gap gap = gap_of(cut);
    gap.id = next_gap_id(state_);
    append_fact(facts_, state_, GapRecorded{state_.run, state_.node, std::move(gap)});
  }
  has_arrived_ = true;
  return {};
}

Known<void> FirstStepDecision::begin_evidence(state::ScriptAnswers& answers, Probes& looks) {
  Scripts scripts(answers, draw_of_act(draw_.drawn, 0), given_.schemas);
  auto begun = TRY(run::begin_evidence(workflow(), state_, scripts, looks));
  if (begun) append_fact(facts_, state_, *std::move(begun));
  answers.forget();
  has_looked_ = true;
  return {};
}

/// A run that a sub-agent begins may come to an effect that another one had, for the same task on
/// another branch. Whether it waits for a person now.
Known<bool> FirstStepDecision::waits_for_effect(Scripts& scripts, Probes& looks) {
  const workflow::Step* step = step_at(workflow(), state_.cursor);
  const bool may_have = state_.task && step != nullptr && !state_.open_steps.empty() &&
                        state_.run_state == RunState::running && has_effect(*step);
  if (!may_have) return false;
  const auto elsewhere = TRY(looks.effects_elsewhere(state_.open_steps.front()));
  if (elsewhere.empty()) return false;
  const Sha256 hash = TRY(effect_hash_at(workflow(), state_, scripts));
  const EffectQuestion question{*step, state_, given_.policy, elsewhere, hash, ""};
  EffectPlan plan = plan_effect(question);
  if (!plan.warning.empty()) late_warnings_.push_back(plan.warning);
  if (plan.way == EffectPlan::Way::run) return false;
  Gate gate = effect_gate(question, plan, least_of(*step, given_.policy));
  append_fact(facts_, state_, GateOpened{state_.run, std::move(gate)});
  return true;
}

Decided FirstStepDecision::decided(Reply reply, json::Object shown) {
  keep_shown(state_, std::move(shown));
  Decided out;
  CommitDraft& commit = out.commit;
  commit.events = {SessionCreated{}, started(),
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
  for (auto& [key, value] : observed()) {
    commit.events.push_back(ObservationRecorded{state_.run, key, std::move(value)});
  }
  std::ranges::move(facts_, std::back_inserter(commit.events));
  commit.session = state_.session;
  commit.dedupe_key = "start";
  commit.at = draw_.drawn.now;
  out.reply = std::move(reply);
  out.reply.warnings = warnings();
  std::ranges::move(late_warnings_, std::back_inserter(out.reply.warnings));
  out.state = std::move(state_);
  return out;
}

}  // namespace baton::run
