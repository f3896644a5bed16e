// What an attempt has to do with persons: raises, gates before a step begins and after it is done.

#include <algorithm>
#include <iterator>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/checks/artifacts.h"
#include "run/checks/output_check.h"
#include "run/decide/advance.h"
#include "run/decide/append_events.h"
#include "run/decide/brakes.h"
#include "run/decide/preferences.h"
#include "run/steps/behaviour.h"
#include "run/walk/scope.h"

namespace baton::run {
namespace {

Blocker blocker_of(const Finding& finding) {
  return {code_of(finding.reason), finding.pointer,
          utf8::truncate(finding.message, limits::blocker_message_bytes_max),
          utf8::truncate(finding.fix, limits::blocker_fix_bytes_max)};
}

/// What can be done where a checkpoint may not go further.
std::string_view next_of_raise(Assurance least, bool is_persons) {
  if (!is_persons) {
    return "send the preferences with the output of the step; then the run can wait for the user's "
           "word";
  }
  if (least == Assurance::asked || least == Assurance::present) return "set them at a terminal";
  return "let the agent send the preferences with the output of its step; then the run waits, and "
         "your signed approval lets it go further";
}

}  // namespace

/// The words that come with the attempt itself.
std::vector<GateWord> AdvanceDecision::came_with() const {
  return words_with(command_.input, command_.source, command_.asked, draw_.node);
}

/// The preferences that the attempt may set, below the ceilings of the owner. A raise in the middle
/// of a run is a gate of its own; while it waits, the attempt is blocked and changes none. A
/// checkpoint cannot wait.
Result<PreferencesDelta> AdvanceDecision::check_raise(Outcome& outcome) const {
  CappedWish capped = below_ceilings(command_.input.preferences, command_.policy);
  outcome.alerts = std::move(capped.alerts);
  const PreferencesDelta& asked = capped.wish;
  const Preferences& from = command_.parent.preferences;
  const Preferences to{asked.autonomy.value_or(from.autonomy),
                       asked.risk_policy.value_or(from.risk_policy)};
  if (!is_raise(from, to) || command_.is_simulated) return asked;
  const bool is_owners = command_.source.how == ChangedHow::terminal;
  if (waits_first(command_.parent) && !is_owners && command_.attempt.kind == AttemptKind::advance) {
    // A node has one gate: the question whether to go further must not take the place of this one.
    outcome.alerts.emplace_back(
        "the run waits at a gate before this step begins, and its preferences stay as they are "
        "until then; send the raise with the output of a step");
    return PreferencesDelta{};
  }
  const std::vector<GateWord> came = came_with();
  const Gates gates(command_.words, command_.heard, came, command_.parent, draw_.drawn.now);
  const std::string step =
      command_.parent.open_steps.empty() ? "" : command_.parent.open_steps.front();
  GateAsk ask = raise_ask(step, from, to, command_.policy);
  // What the run waits for might not be asked for in the other mode.
  const Gate* open = command_.parent.gate.get();
  if (open != nullptr && !is_enough(ask.least, open->least)) ask.least = open->least;
  const Passage passage = gates.pass(ask, outcome.state, outcome.facts);
  if (passage.is_passed) return asked;
  if (command_.attempt.kind == AttemptKind::checkpoint) {
    return fail(Code::INVALID_INPUT, cat(passage.finding->message, "; nothing was recorded"),
                std::string(next_of_raise(ask.least, is_owners || command_.asked)));
  }
  outcome.verdict.blockers = {blocker_of(*passage.finding)};
  outcome.is_at_gate = !passage.is_refused;
  return PreferencesDelta{};
}

/// A gate that opened when the run came to the step. Nothing that was sent is judged before a
/// person has let the step begin, and a step that has not begun cannot have failed; a refusal fails
/// it.
Result<void> AdvanceDecision::pass_first_gate(Outcome& outcome, const workflow::Step& step) const {
  const Gate& open = *command_.parent.gate;
  // A gap may be closed here, and then there is nothing to ask.
  if (open.kind == GateKind::gap) TRY(note_reported(outcome));
  GateAsk ask{
      .kind = open.kind,
      .step = open.step,
      .question = open.question,
      // A policy of now counts too; of the run as a whole no step says anything.
      .least = is_brake(open.kind) ? least_of(command_.policy) : least_of(step, command_.policy),
      .who = open.who,
      .count = open.count,
      .expires_minutes =
          step.gate && !is_brake(open.kind) ? step.gate->expires_minutes : std::nullopt,
      .output = open.output,
      .choices = open.choices,
      .offer = open.offer};
  outcome.is_at_gate = true;
  const std::string_view contract = output_rules(step).contract;
  const Signals signals = read_artifacts(command_.input.artifacts, contract);
  TRY(check_artifacts(signals, contract));
  if (command_.input.failure || signals.failure) {
    outcome.alerts.emplace_back(
        "the step had not begun when its failure was reported, so that was not recorded; a person "
        "decides at the gate whether the step begins");
  }
  if (open.kind == GateKind::gap && !outcome.state.has_critical_gap()) {
    outcome.state.kind = NodeKind::blocked_attempt;
    outcome.begins = true;
    return {};
  }
  const std::vector<GateWord> came = came_with();
  const Gates gates(command_.words, command_.heard, came, command_.parent, draw_.drawn.now);
  const Passage passage = gates.pass(ask, outcome.state, outcome.facts);
  if (passage.is_refused && is_brake(open.kind)) {
    outcome.state.kind = NodeKind::step;
    outcome.state.open_steps.clear();
    append_fact(outcome.facts, outcome.state,
                RunStateChanged{outcome.state.run, outcome.state.node, RunState::failed,
                                passage.finding->message, false});
    return {};
  }
  if (passage.is_refused) {
    fail_step(outcome, step, {"refused", passage.finding->message});
    return {};
  }
  if (passage.is_passed && open.kind == GateKind::budget) {
    append_fact(outcome.facts, outcome.state,
                BudgetSet{outcome.state.run, outcome.state.node,
                          with_offer(outcome.state.known().budget, open.offer), passage.source});
  }
  outcome.state.kind = NodeKind::blocked_attempt;
  outcome.begins = passage.is_passed;
  if (!passage.is_passed) outcome.verdict.blockers = {blocker_of(*passage.finding)};
  return {};
}

/// What the attempt uses of the budget of the run.
Result<void> AdvanceDecision::count_use() {
  NodeState& state = outcome_.state;
  const StepInput& input = command_.input;
  if (command_.attempt.kind == AttemptKind::advance) {
    note_output(state, command_.step, input.tasks ? Sha256{} : TRY(input_hash(input)));
  }
  if (input.tokens_used > 0) {
    append_fact(outcome_.facts, state, TokensUsed{state.run, state.node, input.tokens_used});
  }
  if (state.known().budget.empty()) return {};
  Usage usage = state.known().usage;
  const WallMs now = draw_.drawn.now;
  if (command_.parent.gate != nullptr) {
    usage.waited_ms += std::max<std::int64_t>(now.value - usage.at.value, 0);
  }
  usage.at = now;
  const bool waited = outcome_.is_at_gate && !outcome_.failing;
  if (command_.attempt.kind == AttemptKind::advance && !input.end && !waited) {
    ++usage.attempts;
    if (state.kind == NodeKind::step) ++usage.steps;
  }
  if (input.notes) usage.bytes += std::ssize(*input.notes);
  for (const json::Value& each : input.artifacts) usage.bytes += std::ssize(json::print(each));
  if (input.process) usage.bytes += std::ssize(input.process->result.output);
  append_fact(outcome_.facts, state, UsageCounted{state.run, state.node, usage});
  return {};
}

/// Whether the run waits before it goes any further: its budget is used up, or its breaker trips.
bool AdvanceDecision::brake() {
  NodeState& state = outcome_.state;
  // Who waits at another gate, or saves progress, is stopped when that is passed.
  const bool goes_on = state.kind == NodeKind::step || outcome_.begins ||
                       (state.kind == NodeKind::blocked_attempt && !outcome_.is_at_gate);
  if (!goes_on || command_.is_simulated || state.open_steps.empty() ||
      state.run_state != RunState::running || command_.input.end) {
    return false;
  }
  // Sub-agents answer for a step of theirs, and the run stops at the step after it.
  const workflow::Step* step = step_at(*command_.workflow, state.cursor);
  if (step == nullptr || behaviour_of(*step).is_for_sub_agents) return false;
  auto ask = budget_ask(state, command_.policy);
  if (!ask) ask = failing_ask(state, command_.policy);
  if (!ask) {
    ask = repeating_ask(*command_.workflow, from_, command_.step, state, command_.policy);
  }
  if (!ask) return false;
  outcome_.judgement.warnings.push_back(cat("the run pauses for its user: ", ask->question));
  open_gate(*ask, state, outcome_.facts, draw_.drawn.now);
  return true;
}

/// Whether the run would go on behind the step although a person had to agree to it.
bool AdvanceDecision::goes_past_a_person(const Judgement& judged, const workflow::Step& step,
                                         const StepFailure& failure) const {
  if (judged.person.need != PersonRule::Need::word || command_.is_simulated) return false;
  const FailureOutcome failing =
      failure_outcome(*command_.workflow, step, command_.step, command_.parent.known().setbacks,
                      failure, command_.parent.task ? FailureOwner::task : FailureOwner::run);
  return failing.consequence == Consequence::go_on;
}

/// A gate is not passed by the word that the step failed: where the run would go on all the same,
/// a person decides that it may.
Known<bool> AdvanceDecision::may_fail(Outcome& outcome, const workflow::Step& step,
                                      Scripts& scripts) const {
  Judgement& judged = outcome.judgement;
  if (!goes_past_a_person(judged, step, *judged.failure)) return true;
  GateAsk ask = TRY(person_ask(*command_.workflow, command_.parent, judged.person, command_.input,
                               command_.policy, scripts));
  ask.question = cat("May the run go on without the step \"", step.title,
                     "\"? It is said to have failed: ", judged.failure->message);
  const std::vector<GateWord> came = came_with();
  const Gates gates(command_.words, command_.heard, came, command_.parent, draw_.drawn.now);
  const Passage passage = gates.pass(ask, outcome.state, outcome.facts);
  if (passage.is_passed) return true;
  judged.failure.reset();
  judged.findings = {*passage.finding};
  outcome.state.kind = NodeKind::blocked_attempt;
  outcome.verdict.blockers = {blocker_of(*passage.finding)};
  outcome.is_at_gate = !passage.is_refused;
  return false;
}

/// Asked last, so that a person sees nothing that would not pass anyway. The words of a gate count
/// for the output that they were about. What waits is no try of the agent and writes nothing.
Known<void> AdvanceDecision::ask_person(state::ScriptAnswers& answers) {
  const Judgement& judged = outcome_.judgement;
  const PersonRule& rule = judged.person;
  if (outcome_.failing || rule.need != PersonRule::Need::word) return start_walk();
  Scripts scripts(answers, draw_of_act(draw_.drawn, 0), command_.schemas);
  const GateAsk ask = TRY(person_ask(*command_.workflow, command_.parent, rule, command_.input,
                                     command_.policy, scripts));
  std::vector<GateWord> came = came_with();
  // The answer to a question is what the user said, as the agent has it.
  if (rule.kind == GateKind::question && judged.has_answer) {
    came.push_back({.gate = draw_.node, .source = command_.source});
  }
  std::vector<Event> facts;
  const Gates gates(command_.words, command_.heard, came, command_.parent, draw_.drawn.now);
  Passage passage = gates.pass(ask, outcome_.state, facts);
  answers.forget();
  if (!passage.is_passed) {
    take_back_writes();
    outcome_.state.kind = NodeKind::blocked_attempt;
    outcome_.verdict = {.blockers = {blocker_of(*passage.finding)}, .gaps = {}};
    outcome_.judgement.findings = {*passage.finding};
    outcome_.is_at_gate = !passage.is_refused;
    phase_ = Phase::updating;
    // They were judged as those of an attempt that passes.
    for (const Event& fact : outcome_.facts) {
      if (const auto* found = std::get_if<ValidationPerformed>(&fact)) {
        apply(outcome_.state, *found);
      }
    }
  }
  const auto here = outcome_.facts.begin() + static_cast<std::ptrdiff_t>(facts_before_);
  facts_before_ += facts.size();
  outcome_.facts.insert(here, std::make_move_iterator(facts.begin()),
                        std::make_move_iterator(facts.end()));
  return passage.is_passed ? start_walk() : Result<void>();
}

}  // namespace baton::run
