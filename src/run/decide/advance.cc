#include "run/decide/advance.h"

#include <algorithm>
#include <iterator>

#include "base/core/effect_limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/checks/check_evidence.h"
#include "run/checks/slots.h"
#include "run/decide/append_events.h"
#include "run/decide/preferences.h"
#include "run/effects/place_effect.h"
#include "run/effects/receipts.h"
#include "run/show/prompt.h"
#include "run/steps/behaviour.h"
#include "run/steps/loop.h"
#include "run/steps/results.h"
#include "run/steps/shell_command.h"
#include "run/steps/user_message.h"

namespace baton::run {
namespace {

std::unexpected<Error> tasks_are_open(std::string_view step) {
  return fail(Code::TASKS_OPEN,
              cat("the tasks of the step \"", step, "\" are not all settled; nothing was recorded"),
              "start sub-agents for the open tasks");
}

/// What a caller sent must be bounded, and filled in.
Result<void> check_sent(const StepInput& input) {
  TRY(check_sizes(input));
  return input.is_servers_own() || input.tasks ? Result<void>() : check_no_slots(input);
}

/// An error is told to a caller of whose call nothing was recorded; here something is.
std::string_view without_ending(std::string_view said) {
  constexpr std::string_view ending = "; nothing was recorded";
  if (said.ends_with(ending)) said.remove_suffix(ending.size());
  return said;
}

std::string refusal_warning(std::int64_t number, std::string_view step) {
  const std::int64_t most = limits::unproven_refusals_max;
  return cat("refusal ", number, " of ", most, " for missing evidence; after ", most,
             " an attempt without evidence fails the step \"", step, '"');
}

}  // namespace

Known<Decided> AdvanceDecision::go(state::ScriptAnswers& answers, Probes& looks) {
  while (phase_ != Phase::replying) TRY(take_phase(answers, looks));
  Scripts scripts(answers, draw_of_act(draw_.drawn, 0), command_.schemas);
  TRY(intend(scripts, looks));
  append_policy(outcome_.facts, outcome_.state, command_.policy);
  deliver_guidance();
  Reply reply = TRY(reply_at(*command_.workflow, outcome_.state, {}, command_.minting, scripts));
  return decided(reply_of(std::move(reply)), scripts.used());
}

Known<void> AdvanceDecision::take_phase(state::ScriptAnswers& answers, Probes& looks) {
  switch (phase_) {
    case Phase::settling: {
      Scripts judging(answers, draw_of_act(draw_.drawn, 0), command_.schemas);
      outcome_ = TRY(settle(judging));
      answers.forget();
      phase_ = Phase::updating;
      return {};
    }
    case Phase::updating: return update(answers);
    case Phase::proving: return check_step_evidence(answers, looks);
    case Phase::asking: return ask_person(answers);
    case Phase::walking: return walk(answers);
    case Phase::arriving: return begin_evidence(answers, looks);
    case Phase::replying: break;
  }
  return {};
}

// --- what was sent ---

Known<AdvanceDecision::Outcome> AdvanceDecision::settle(Scripts& scripts) const {
  TRY(check_sent(command_.input));
  Outcome outcome;
  NodeState& state = outcome.state;
  state = command_.parent;
  state.node = draw_.node;
  std::optional<Finding> over_budget = TRY(settings(outcome));
  if (command_.attempt.kind == AttemptKind::checkpoint) {
    state.kind = NodeKind::checkpoint;
    TRY(command_.input.end ? end(outcome) : note_reported(outcome));
    inherit_command(state);
    return outcome;
  }
  const workflow::Step* step = step_at(*command_.workflow, state.cursor);
  if (step == nullptr || key_at(*command_.workflow, state.cursor) != command_.step) {
    return fail(Code::INTERNAL,
                cat("step \"", command_.step, "\" is not open at the node of this attempt"));
  }
  // What is known of the open step counts until it is passed.
  const NodeState at_step = state;
  state.kind = NodeKind::step;
  inherit_command(state);
  state.ran = at_step.ran;
  state.gate = at_step.gate;
  state.ledger = at_step.ledger;
  if (command_.input.end) {
    TRY(end(outcome));
    return outcome;
  }
  if (command_.input.process) {
    TRY(take_command(outcome, *step));
    return outcome;
  }
  // Of preferences that go further a person decides before anything is judged by them.
  if (outcome.verdict.is_blocked()) {
    state.kind = NodeKind::blocked_attempt;
    return outcome;
  }
  if (waits_first(command_.parent)) {
    TRY(pass_first_gate(outcome, *step));
    return outcome;
  }
  if (behaviour_of(*step).is_for_sub_agents && !command_.input.tasks && !command_.input.failure) {
    return tasks_are_open(command_.step);
  }
  const bool after_block = command_.parent.kind == NodeKind::blocked_attempt;
  Judgement& judgement = outcome.judgement;
  judgement = TRY(judge({*command_.workflow, *step, command_.step, state, command_.input, scripts,
                         after_block, &command_.parent, command_.is_simulated, command_.earlier}));
  if (command_.input.tasks) {
    judgement.result = command_.input.tasks->results;
    if (const auto& why = command_.input.tasks->failure) judgement.failure = {"task", *why};
  }
  if (command_.input.is_reused && !judgement.findings.empty()) {
    // The agent must not do the step again because of this.
    judgement.failure = {"effect", cat("the result of another branch does not pass here: ",
                                       judgement.findings.front().message)};
    judgement.findings.clear();
  }
  if (judgement.failure) {
    if (TRY(may_fail(outcome, *step, scripts))) fail_step(outcome, *step, *judgement.failure);
    return outcome;
  }
  if (over_budget) judgement.findings.push_back(*std::move(over_budget));
  outcome.verdict = apply_policy(judgement.findings, state.preferences);
  if (outcome.verdict.is_blocked()) state.kind = NodeKind::blocked_attempt;
  for (Event& fact : judgement.facts) append_fact(outcome.facts, state, std::move(fact));
  judgement.facts.clear();
  return outcome;
}

/// A step that is tried again keeps the run where it is, in every autonomy mode.
void AdvanceDecision::fail_step(Outcome& outcome, const workflow::Step& step,
                                const StepFailure& failure) const {
  NodeState& state = outcome.state;
  const FailureOutcome failing =
      failure_outcome(*command_.workflow, step, command_.step, state.known().setbacks, failure,
                      state.task ? FailureOwner::task : FailureOwner::run);
  if (failing.consequence == Consequence::retry) {
    state.kind = NodeKind::blocked_attempt;
    outcome.verdict.blockers = {blocker_of(failing)};
  } else {
    outcome.judgement.warnings.push_back(warning_of(failing));
  }
  for (Event& fact : outcome.judgement.facts) append_fact(outcome.facts, state, std::move(fact));
  append_fact(outcome.facts, state,
              StepFailed{state.run, state.node, failing.error, failing.consequence});
  outcome.failing = failing;
}

/// The settings of an attempt. A context past its budget is not the fault of this call
/// alone: it is reported with the other findings, and no part of it is kept.
Result<std::optional<Finding>> AdvanceDecision::settings(Outcome& outcome) const {
  const StepInput& input = command_.input;
  const PreferencesDelta preferences = TRY(check_raise(outcome));
  const auto set = [&](const json::Object& context) {
    return append_settings(outcome.facts, outcome.state, context, ContextSource::agent_delta,
                           preferences,
                           PreferenceChange{command_.parent.preferences, command_.source});
  };
  const auto done = set(input.context);
  if (done) return std::nullopt;
  json::Object alone;
  const bool is_grown = command_.attempt.kind == AttemptKind::advance &&
                        merge_context(alone, input.context).has_value();
  if (!is_grown) return std::unexpected(done.error());
  TRY(set({}));
  return Finding{
      Reason::invalid_required_output,
      {PointerKind::context_budget, ""},
      done.error().message,
      cat("Send the whole output again and change the context: ", done.error().next.text())};
}

/// Ends the run at this node: nothing is judged any more, and no step is open. Or lets one
/// that failed continue from here.
Result<void> AdvanceDecision::end(Outcome& outcome) const {
  NodeState& state = outcome.state;
  const RunEnd& end = *command_.input.end;
  TRY(check_text("reason", end.reason, limits::end_reason_bytes_max));
  if (end.to != RunState::running) state.open_steps.clear();
  append_fact(outcome.facts, state,
              RunStateChanged{state.run, state.node, end.to, end.reason, end.resets_counts});
  return {};
}

/// Applies the result of the server's own attempt. After a command with an unknown result, and one
/// whose result the run cannot use, the step is left to the agent.
Result<void> AdvanceDecision::take_command(Outcome& outcome, const workflow::Step& step) const {
  NodeState& state = outcome.state;
  const ProcessReport& report = *command_.input.process;
  const ProcessIntended* intended = command_.parent.process.get();
  ProcessIntended elsewhere;
  if (const EffectReused* reuse = command_.parent.reuse.get();
      reuse != nullptr && command_.input.is_reused && reuse->node == command_.token_node) {
    elsewhere.run = state.run;
    elsewhere.node = reuse->from;
    elsewhere.step = reuse->step;
    intended = &elsewhere;
  } else if (intended == nullptr || intended->node != command_.token_node) {
    return fail(Code::INTERNAL, cat("no command is running for the step \"", command_.step, '"'));
  }
  ProcessFinished fact = noted(*intended, report);
  fact.node = state.node;
  append_fact(outcome.facts, state, std::move(fact));
  if (leaves_unknown(step, report.result.end)) {
    state.kind = NodeKind::blocked_attempt;
    return {};
  }
  if (report.is_handed_over) {
    state.kind = NodeKind::blocked_attempt;
    if (!report.keeps_result) return {};
    auto kept = meaning_of(step, *intended, report.result);
    if (auto* value = std::get_if<json::Value>(&kept)) {
      outcome.judgement.result = std::move(*value);
      outcome.keeps_result = true;
    }
    return {};
  }
  auto meaning = meaning_of(step, *intended, report.result);
  if (!report.problem.empty()) meaning = StepFailure{"state", report.problem};
  if (auto* value = std::get_if<json::Value>(&meaning)) {
    outcome.judgement.result = std::move(*value);
    return {};
  }
  fail_step(outcome, step, std::get<StepFailure>(meaning));
  return {};
}

/// What a checkpoint reports, or an attempt whose step has not begun, holds from its node on.
Result<void> AdvanceDecision::note_reported(Outcome& outcome) const {
  if (command_.input.artifacts.empty()) return {};
  NodeState& state = outcome.state;
  Judgement noted = TRY(note_checkpoint(state, command_.input.artifacts));
  for (std::vector<Event>* facts : {&noted.facts, &noted.facts_when_passed}) {
    for (Event& fact : *facts) append_fact(outcome.facts, state, std::move(fact));
  }
  return {};
}

// --- what it does to the state ---

/// What the step writes when it is passed, and what is noted of the attempt.
Known<std::vector<StateUpdated>> AdvanceDecision::updated(const UpdateContext& updating) const {
  const NodeState& state = outcome_.state;
  const workflow::Step& step = *step_at(*command_.workflow, state.cursor);
  const FramePlace place = frame_of(levels_of(*command_.workflow, state.cursor));
  if (state.kind == NodeKind::checkpoint) {
    auto updates =
        TRY(updated_frames(place, *state.states, command_.input.writes, {}, "update", updating));
    keep_task_writes(levels_of(*command_.workflow, state.cursor), command_.input.writes, updates);
    return updates;
  }
  FailureWrites made;
  if (state.kind != NodeKind::blocked_attempt || outcome_.keeps_result) {
    made = TRY(writes(step, updating));
  }
  if (outcome_.keeps_result) {
    return TRY(updated_frames(place, *state.states, made.own, {}, command_.step, updating));
  }
  // What is collected where the engine keeps it anyway is kept once.
  std::vector<state::Write> kept = notes();
  std::erase_if(kept, [&](const state::Write& each) {
    return std::ranges::find(made.noted, each.path, &state::Write::path) != made.noted.end();
  });
  std::ranges::move(kept, std::back_inserter(made.noted));
  auto updates =
      TRY(updated_frames(place, *state.states, made.own, made.noted, command_.step, updating));
  keep_task_writes(levels_of(*command_.workflow, state.cursor), made.own, updates);
  return updates;
}

/// Of a step that is passed, or that failed for good.
Known<FailureWrites> AdvanceDecision::writes(const workflow::Step& step,
                                             const UpdateContext& updating) const {
  const NodeState& state = outcome_.state;
  const std::optional<FailureOutcome>& failing = outcome_.failing;
  const std::optional<json::Value>& result = failing ? failing->value : outcome_.judgement.result;
  const state::Scope names =
      with_result(step, scope_at(*command_.workflow, state).names(command_.schemas), result);
  FailureWrites out;
  // What was written to get results comes before what is made of them.
  if (command_.input.tasks) out.own = command_.input.tasks->writes;
  // What was never sent cannot be written; a gap or the failure says that it is missing.
  const bool is_due =
      result || (!failing && (outcome_.judgement.findings.empty() || !uses_result(step)));
  if (step.updates && is_due) {
    json::Array due;
    for (std::size_t at = 0; at < step.updates->size(); ++at) {
      const auto& made = outcome_.judgement.made;
      if (std::ranges::find(made, at) == made.end()) due.push_back((*step.updates)[at]);
    }
    std::ranges::move(TRY(writes_of(due, names, updating)), std::back_inserter(out.own));
  }
  if (!failing) return out;
  FailureWrites more =
      TRY(failure_writes(*command_.workflow, step, *failing, state.cursor, names, updating));
  std::ranges::move(more.own, std::back_inserter(out.own));
  out.noted = std::move(more.noted);
  return out;
}

/// What the engine keeps of the attempt.
std::vector<state::Write> AdvanceDecision::notes() const {
  const Judgement& judgement = outcome_.judgement;
  StepNote note{StepNote::Kind::completed, {command_.step, {}, {}}};
  if (outcome_.failing) {
    note = {StepNote::Kind::failed, outcome_.failing->error};
  } else if (!judgement.findings.empty()) {
    const Finding& first = judgement.findings.front();
    note = {StepNote::Kind::failed,
            {command_.step, std::string(name_of(first.reason)), first.message}};
  }
  if (outcome_.state.kind == NodeKind::blocked_attempt) note.kind = StepNote::Kind::retried;
  std::vector<state::Write> out = writes_of(note, *command_.schemas);
  if (note.kind != StepNote::Kind::completed) return out;
  for (const std::string& more : keys_passed_with(*command_.workflow, outcome_.state.cursor)) {
    std::ranges::move(writes_of({note.kind, {more, {}, {}}}, *command_.schemas),
                      std::back_inserter(out));
  }
  return out;
}

Known<void> AdvanceDecision::update(state::ScriptAnswers& answers) {
  const bool is_checkpoint = outcome_.state.kind == NodeKind::checkpoint;
  const bool goes_on = outcome_.state.run_state == RunState::running && !command_.input.end;
  const bool is_left_to_agent = command_.input.process &&
                                outcome_.state.kind == NodeKind::blocked_attempt &&
                                !outcome_.failing && !outcome_.keeps_result;
  const bool is_waiting = outcome_.is_at_gate && !outcome_.failing;
  const bool writes = (goes_on && !is_checkpoint && !is_left_to_agent && !is_waiting) ||
                      !command_.input.writes.empty();
  if (command_.schemas == nullptr && !command_.input.writes.empty()) {
    return fail(Code::INVALID_INPUT, "the workflow of this run declares no state",
                "send the call without changes of the state");
  }
  states_before_ = outcome_.state.states;
  facts_before_ = outcome_.facts.size();
  if (command_.schemas != nullptr && writes) {
    auto written = updated({*command_.schemas, draw_of_act(draw_.drawn, 0), answers});
    if (!written) {
      Error* error = written.error().if_error();
      is_write_rejected_ = error != nullptr;
      if (error != nullptr && !is_checkpoint) {
        error->message = cat("the step \"", command_.step, "\" writes its result: ", error->message,
                             command_.input.process ? "" : "; nothing was recorded");
      }
      return std::unexpected(std::move(written).error());
    }
    answers.forget();
    for (StateUpdated& each : *written) {
      TRY(append_update(outcome_.facts, outcome_.state, std::move(each)));
    }
  }
  phase_ = Phase::replying;
  if (!goes_on || outcome_.state.kind != NodeKind::step) return {};
  const bool has_to_prove = outcome_.state.evidence != nullptr && !outcome_.failing;
  phase_ = has_to_prove && !is_proved_ ? Phase::proving : Phase::asking;
  return {};
}

std::unique_ptr<Decision> AdvanceDecision::after(const Error& error) const {
  AdvanceCommand again = command_;
  if (again.input.process && !again.input.process->is_handed_over) {
    ProcessReport& report = *again.input.process;
    const bool is_behind = phase_ == Phase::walking;
    report.is_handed_over = is_behind || !report.problem.empty();
    report.keeps_result = is_behind && report.problem.empty();
    report.problem =
        is_behind ? cat(way_on_is_unknown, without_ending(error.message)) : error.message;
  } else if (again.input.tasks && is_write_rejected_ && !again.input.tasks->writes.empty()) {
    again.input.tasks->writes.clear();
    again.input.tasks->failure = cat("what the tasks wrote is in conflict: ", error.message);
  } else if (again.input.is_reused && !again.input.process && !again.input.failure) {
    again.input.failure = {
        "effect", cat("the result of another branch cannot be taken here: ", error.message)};
  } else {
    return nullptr;
  }
  return std::make_unique<AdvanceDecision>(std::move(again), draw_);
}

void AdvanceDecision::take_back_writes() {
  outcome_.state.states = states_before_;
  outcome_.facts.erase(outcome_.facts.begin() + static_cast<std::ptrdiff_t>(facts_before_),
                       outcome_.facts.end());
}

// --- whether it is proved ---

/// The state is as the step would leave it. What is not proved is found wrong with the rest: then
/// the step writes once more, by what became of the attempt.
Known<void> AdvanceDecision::check_step_evidence(state::ScriptAnswers& answers, Probes& looks) {
  Scripts scripts(answers, draw_of_act(draw_.drawn, 0), command_.schemas);
  auto [findings, fact] = TRY(
      run::check_step_evidence(*command_.workflow, outcome_.state, command_.input, scripts, looks));
  const bool is_right = findings.empty() || waive(findings);
  if (!is_right) TRY(refuse_unproven(std::move(findings), scripts));
  is_proved_ = true;
  apply(outcome_.state, fact);
  outcome_.facts.insert(outcome_.facts.begin() + static_cast<std::ptrdiff_t>(facts_before_),
                        std::move(fact));
  ++facts_before_;
  answers.forget();
  looks.forget();
  phase_ = is_right ? Phase::asking : Phase::updating;
  return {};
}

/// Without proof the step stays open, in every mode. In a run that never stops there may be no user
/// to bring the proof: after some refusals the step fails, and the workflow decides what follows.
/// Nothing is changed while a script is lacking.
Known<void> AdvanceDecision::refuse_unproven(std::vector<Finding> missing, Scripts& scripts) {
  NodeState& state = outcome_.state;
  Judgement& judgement = outcome_.judgement;
  const workflow::Step& step = *step_at(*command_.workflow, state.cursor);
  std::vector<Finding> findings = judgement.findings;
  std::ranges::move(missing, std::back_inserter(findings));
  Verdict verdict = apply_policy(findings, state.preferences, weighing());
  const bool never_stops = state.preferences.autonomy == Autonomy::full_auto_never_stop;
  const std::int64_t refused = state.known().setbacks.unproven_at(command_.step);
  const bool fails = never_stops && refused >= limits::unproven_refusals_max;
  // Where a person has to agree, the run does not go past a step without proof and without a word.
  const bool waits = goes_past_a_person(judgement, step, {std::string(unproven_type), ""});
  if (verdict.is_blocked() && (!fails || waits)) {
    NodeState blocked = state;
    blocked.states = states_before_;
    blocked.kind = NodeKind::blocked_attempt;
    judgement.example = TRY(example_for(*command_.workflow, step, blocked, scripts));
    state.kind = NodeKind::blocked_attempt;
    if (never_stops && !waits) {
      judgement.warnings.push_back(refusal_warning(refused + 1, command_.step));
    }
  }
  take_back_writes();
  judgement.findings = std::move(findings);
  outcome_.verdict = std::move(verdict);
  const std::size_t judged = outcome_.facts.size();
  if (outcome_.verdict.is_blocked() && fails && !waits) {
    // What a failed step reports decides nothing.
    const std::string message = outcome_.verdict.blockers.front().message;
    outcome_.verdict = {};
    judgement.findings.clear();
    judgement.loop_controls.clear();
    judgement.gaps.clear();
    fail_step(outcome_, step, {std::string(unproven_type), message});
  }
  // They were judged as those of an attempt that passes; some count only where it does not.
  if (state.kind != NodeKind::blocked_attempt) return {};
  for (std::size_t i = 0; i < judged; ++i) {
    if (const auto* fact = std::get_if<ValidationPerformed>(&outcome_.facts[i])) {
      apply(state, *fact);
    }
  }
  return {};
}

/// Where the author says so, and the owner's policy does not forbid it, a step passes without its
/// evidence in every mode: what is missing is a critical gap.
bool AdvanceDecision::waive(const std::vector<Finding>& missing) {
  const workflow::Step& step = *step_at(*command_.workflow, outcome_.state.cursor);
  is_waived_ = step.waivable && command_.policy.waivable.value == Waivable::author;
  for (const Finding& each : missing) {
    if (is_waived_) outcome_.judgement.gaps.push_back(gap_of(each, GapSeverity::critical));
  }
  return is_waived_;
}

Known<void> AdvanceDecision::begin_evidence(state::ScriptAnswers& answers, Probes& looks) {
  Scripts scripts(answers, draw_of_act(draw_.drawn, 0), command_.schemas);
  if (auto fact = TRY(run::begin_evidence(*command_.workflow, outcome_.state, scripts, looks))) {
    append_fact(outcome_.facts, outcome_.state, *std::move(fact));
  }
  answers.forget();
  looks.forget();
  phase_ = Phase::replying;
  return {};
}

// --- the way on ---

Result<void> AdvanceDecision::start_walk() {
  const workflow::CompiledWorkflow& workflow = *command_.workflow;
  const NodeState& state = outcome_.state;
  from_ = state.cursor;
  phase_ = Phase::walking;
  if (outcome_.failing && outcome_.failing->consequence == Consequence::restart) {
    walk_ = Walk::again(workflow, command_.schemas, state, from_);
  } else if (outcome_.failing && outcome_.failing->consequence == Consequence::fail) {
    walk_ = Walk::to_failure(workflow, command_.schemas, state);
  } else {
    TRY(note_decisions(workflow, from_, outcome_.judgement.loop_controls));
    pass_messages(workflow, from_);
    walk_ = TRY(Walk::onwards(workflow, command_.schemas, state, from_));
  }
  return {};
}

Known<void> AdvanceDecision::walk(state::ScriptAnswers& answers) {
  while (phase_ == Phase::walking) {
    TRY(walk_->go(answers, draw_.drawn));
    Walked walked = std::move(*walk_).arrived();
    if (walked.obstacle) {
      TRY(handle_missing(*std::move(walked.obstacle)));
    } else {
      TRY(arrive(std::move(walked)));
    }
  }
  return {};
}

/// A loop without its items or decision is one more finding; if the run continues anyway, the loop
/// is abandoned.
Result<void> AdvanceDecision::handle_missing(MissingLoopInput obstacle) {
  NodeState& state = outcome_.state;
  Judgement& judgement = outcome_.judgement;
  // What the step's own contract misses is what the loop misses.
  const bool is_told = std::ranges::any_of(judgement.findings, [&](const Finding& each) {
    return each.reason == obstacle.finding.reason && each.pointer == obstacle.finding.pointer;
  });
  if (!is_told) judgement.findings.push_back(std::move(obstacle.finding));
  outcome_.verdict = apply_policy(judgement.findings, state.preferences, weighing());
  if (outcome_.verdict.is_blocked()) {
    judgement.example = std::move(obstacle.example);
    state.kind = NodeKind::blocked_attempt;
    take_back_writes();
    phase_ = Phase::updating;
    return {};
  }
  given_up_.push_back(std::move(obstacle.loop));
  walk_ = TRY(Walk::onwards(*command_.workflow, command_.schemas, state, from_, given_up_));
  return {};
}

Result<void> AdvanceDecision::arrive(Walked walked) {
  NodeState& state = outcome_.state;
  for (StateUpdated& each : walked.updates) {
    TRY(append_update(outcome_.facts, state, std::move(each)));
  }
  move_to(state, *command_.workflow, std::move(walked.cursor), std::move(walked.items));
  append_trace(outcome_.facts, state.run, state.node, std::move(walked.trace));
  for (const LoopCut& cut : walked.cuts) {
    outcome_.judgement.warnings.push_back(cut.message);
    if (cut.leaves_work) outcome_.judgement.gaps.push_back(gap_of(cut));
  }
  if (is_waived_) {
    outcome_.judgement.warnings.push_back(
        cat("the step \"", command_.step,
            "\" passed without its evidence, as its author allows; what is missing is a gap"));
  }
  if (const auto& error = state.known().setbacks.error; error && state.open_steps.empty()) {
    append_fact(outcome_.facts, state,
                RunStateChanged{state.run, state.node, RunState::failed, error->message, false});
  }
  for (Event& fact : outcome_.judgement.facts_when_passed) {
    append_fact(outcome_.facts, state, std::move(fact));
  }
  std::ranges::move(outcome_.judgement.gaps, std::back_inserter(outcome_.verdict.gaps));
  phase_ = Phase::arriving;
  return append_gaps();
}

/// Gives the gaps of the verdict their names. What is open already is not recorded again.
Result<void> AdvanceDecision::append_gaps() {
  NodeState& state = outcome_.state;
  for (Gap gap : outcome_.verdict.gaps) {
    const bool is_open = std::ranges::any_of(state.known().open_gaps, [&](const Gap& open) {
      return open.reason == gap.reason && open.summary == gap.summary && open.step == command_.step;
    });
    if (is_open) continue;
    if (state.known().open_gaps.size() >= limits::open_gaps_max) {
      return fail(
          Code::LIMIT_EXCEEDED,
          cat("the run has ", limits::open_gaps_max, " open gaps; it cannot continue with more"),
          "resolve some with baton.gap_resolution artifacts, or send what the step requires");
    }
    gap.id = next_gap_id(state);
    gap.step = command_.step;
    append_fact(outcome_.facts, state, GapRecorded{state.run, state.node, std::move(gap)});
  }
  return {};
}

/// Lets the server run the command of the step that the run has reached.
Known<void> AdvanceDecision::intend(Scripts& scripts, Probes& looks) {
  NodeState& state = outcome_.state;
  drop_settled_command(state);
  if (!brakes_) {
    TRY(count_use());
    brakes_ = brake();
  }
  if (*brakes_) return {};
  const bool is_retried = (command_.input.process || outcome_.is_at_gate) && outcome_.failing &&
                          outcome_.failing->consequence == Consequence::retry;
  if (state.kind != NodeKind::step && !is_retried && !outcome_.begins) return {};
  if (!effect_way_) TRY(place_effect(scripts, looks));
  if (*effect_way_ != EffectPlan::Way::run) return {};
  auto begun = begin_command({*command_.workflow, command_.runner, command_.policy, draw_.drawn.now,
                              command_.is_simulated},
                             state, outcome_.facts, scripts);
  // Of the server's own attempt, what is in its way is recorded.
  Error* error = begun ? nullptr : begun.error().if_error();
  if (error != nullptr && !command_.input.is_servers_own()) {
    error->message += "; nothing was recorded";
  }
  return begun;
}

/// A step whose effect another branch had does not run by itself.
Known<void> AdvanceDecision::place_effect(Scripts& scripts, Probes& looks) {
  NodeState& state = outcome_.state;
  const workflow::Step* step = step_at(*command_.workflow, state.cursor);
  // At a gate a person lets it begin, and chooses how; one that was refused may be tried again.
  const bool is_reached =
      (state.kind == NodeKind::step || outcome_.begins || outcome_.is_at_gate) &&
      !state.open_steps.empty() && state.run_state == RunState::running;
  EffectPlan plan;
  if (is_reached && step != nullptr && has_effect(*step)) {
    const auto elsewhere = TRY(looks.effects_elsewhere(state.open_steps.front()));
    const Sha256 hash =
        elsewhere.empty() ? Sha256{} : TRY(effect_hash_at(*command_.workflow, state, scripts));
    EffectQuestion question{*step, state, command_.policy, elsewhere, hash, ""};
    question.choice = chosen_effect(state, subject_of(question));
    plan = plan_effect(question);
    if (plan.way == EffectPlan::Way::reuse) {
      append_fact(outcome_.facts, state,
                  EffectReused{state.run, state.node, plan.of->step, plan.of->node});
    } else if (plan.way == EffectPlan::Way::ask) {
      Gate gate = effect_gate(question, plan, least_of(*step, command_.policy));
      append_fact(outcome_.facts, state, GateOpened{state.run, std::move(gate)});
    }
    if (!plan.warning.empty()) outcome_.judgement.warnings.push_back(plan.warning);
  }
  effect_way_ = plan.way;
  return {};
}

/// The receipt of an agent's step that changes something outside.
void AdvanceDecision::report_effect() {
  const bool is_agents = command_.attempt.kind == AttemptKind::advance && !command_.input.end &&
                         !command_.input.is_servers_own();
  const bool is_over = outcome_.state.kind == NodeKind::step || outcome_.failing;
  const workflow::Step* step = step_at(*command_.workflow, command_.parent.cursor);
  // Before a person has let it begin, nothing was done.
  const bool is_begun = !outcome_.is_at_gate && !waits_first(command_.parent);
  if (!is_agents || !is_over || !is_begun || step == nullptr || !is_reported(*step)) return;
  // What the agent was told is recorded with its node, so nothing is asked for again.
  Scripts shown(command_.parent.shown_values());
  const auto hash = effect_hash_at(*command_.workflow, command_.parent, shown);
  const std::string notes = command_.input.notes.value_or(
      command_.input.failure ? command_.input.failure->message : std::string());
  append_fact(outcome_.facts, outcome_.state,
              EffectReported{.run = outcome_.state.run,
                             .node = outcome_.state.node,
                             .step = command_.step,
                             .hash = hash.value_or(Sha256{}),
                             .what = utf8::truncate(notes, limits::effect_what_bytes_max)});
}

// --- what is recorded and told ---

/// The reply of an attempt that the server makes at the end of a command may reach no agent.
void AdvanceDecision::deliver_guidance() {
  if (command_.guidance.empty() || command_.input.is_servers_own()) return;
  NodeState& state = outcome_.state;
  append_fact(outcome_.facts, state,
              GuidanceDelivered{state.run, state.node, command_.guidance.back().number});
}

/// What the caller is told, beyond what a reader of the node is told.
Reply AdvanceDecision::reply_of(Reply reply) {
  if (outcome_.state.kind == NodeKind::checkpoint) reply.checkpoint_node = outcome_.state.node;
  if (!command_.input.is_servers_own()) reply.guidance = command_.guidance;
  reply.warnings = std::move(outcome_.alerts);
  std::ranges::move(outcome_.judgement.warnings, std::back_inserter(reply.warnings));
  if (is_raise(command_.parent.preferences, outcome_.state.preferences)) {
    reply.warnings.push_back(
        cat(raise_text(outcome_.state.preferences, {command_.parent.preferences, command_.source}),
            "; the run keeps a record of this"));
  }
  reply.step_context = std::move(outcome_.judgement.step_context);
  reply.left = std::move(command_.left);
  if (!outcome_.verdict.is_blocked()) return reply;
  if (command_.input.is_servers_own()) {
    // The server's own attempt: no caller has done anything wrong.
    for (const Blocker& each : outcome_.verdict.blockers) reply.warnings.push_back(each.message);
    return reply;
  }
  reply.kind = ReplyKind::blocked;
  reply.retryable = outcome_.verdict.is_retryable();
  reply.blockers = std::move(outcome_.verdict.blockers);
  if (!outcome_.judgement.example.empty()) {
    reply.example = std::move(outcome_.judgement.example);
  }
  if (!reply.retryable) reply.next_intent = NextIntent::await_user_confirmation;
  const bool waits = std::ranges::any_of(
      reply.blockers, [](const Blocker& each) { return each.code == BlockerCode::GATE_WAITING; });
  if (waits && outcome_.state.gate != nullptr) {
    reply.gate = *outcome_.state.gate;
    reply.next_intent = NextIntent::await_user_confirmation;
  }
  return reply;
}

/// The events of the attempt, but for its record.
Result<std::vector<Event>> AdvanceDecision::events() {
  report_effect();
  const NodeState& state = outcome_.state;
  const bool is_checkpoint = state.kind == NodeKind::checkpoint;
  const bool is_blocked = state.kind == NodeKind::blocked_attempt;
  Cursor cursor = to_record(command_.parent.cursor, state.cursor);
  std::vector<Event> events;
  TRY(append_output(events, state.run, command_.token_node, command_.input));
  events.push_back(NodeCreated{.run = state.run,
                               .node = state.node,
                               .parent = command_.parent.node,
                               .kind = state.kind,
                               .position = cursor.position,
                               .open_steps = state.open_steps,
                               .settled_step = is_blocked ? std::string() : command_.step,
                               .frames = std::move(cursor.frames),
                               .shown = state.shown_values(),
                               .items = state.kind == NodeKind::step ? state.items : nullptr});
  events.push_back(EdgeCreated{state.run, command_.parent.node, state.node,
                               is_checkpoint ? EdgeKind::checkpoint
                               : is_blocked  ? EdgeKind::blocked_attempt
                                             : EdgeKind::acked_step,
                               is_checkpoint && command_.cause == EdgeCause::advance
                                   ? EdgeCause::checkpoint_created
                                   : command_.cause});
  std::ranges::move(outcome_.facts, std::back_inserter(events));
  return events;
}

Result<Decided> AdvanceDecision::decided(Reply reply, json::Object shown) {
  keep_shown(outcome_.state, std::move(shown));
  drop_settled_evidence(outcome_.state);
  Decided out;
  out.reply = std::move(reply);
  CommitDraft& commit = out.commit;
  commit.events = TRY(events());
  // No caller sent what the server itself records, so every redelivery is the same.
  const Sha256 input = command_.input.tasks ? Sha256{} : TRY(input_hash(command_.input));
  AdvanceRecorded record{.run = outcome_.state.run,
                         .node = command_.token_node,
                         .attempt = command_.attempt,
                         .step = command_.step,
                         .to = outcome_.state.node,
                         .drawn = draw_.drawn,
                         .input = input,
                         .reply = record_reply(out.reply, commit.blobs)};
  commit.events.insert(commit.events.begin(), std::move(record));

  commit.session = outcome_.state.session;
  commit.dedupe_key = attempt_dedupe_key(command_.token_node, command_.attempt);
  commit.at = draw_.drawn.now;
  const std::int64_t path_events = command_.path_events + std::ssize(commit.events);
  // What a snapshot would have at least is known without writing one.
  const auto least = static_cast<std::int64_t>(bytes_of(outcome_.state.states.get()));
  if (path_events > limits::snapshot_path_events_min && command_.path_bytes > least) {
    std::string snapshot = TRY(write_snapshot(outcome_.state));
    if (snapshot_due(path_events, command_.path_bytes, snapshot.size())) {
      commit.snapshot = std::move(snapshot);
    }
  }
  out.state = std::move(outcome_.state);
  // Of a full reply it is not known whether it was all.
  const bool is_full = std::ssize(command_.guidance) >= limits::guidance_per_reply_max;
  out.leaves_guidance = is_full || (command_.input.is_servers_own() && !command_.guidance.empty());
  return out;
}

}  // namespace baton::run
