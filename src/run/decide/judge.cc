#include "run/decide/judge.h"

#include <algorithm>

#include "base/core/gate_limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/checks/assessments.h"
#include "run/checks/capabilities.h"
#include "run/checks/output_check.h"
#include "run/checks/user_dependencies.h"
#include "run/decide/preferences.h"
#include "run/decide/step_failure.h"
#include "run/show/prompt.h"
#include "run/steps/behaviour.h"
#include "run/steps/loop.h"
#include "run/steps/results.h"
#include "run/walk/condition.h"

namespace baton::run {
namespace {

std::string open_gap_list(const KnownFacts& known) {
  std::string out;
  for (const Gap& gap : known.open_gaps) {
    out += cat(out.empty() ? "the open ones are " : ", ", gap.id, " (", gap.summary, ')');
  }
  return out;
}

/// The gap's number on its path, or 0 when the text is not a gap's name.
std::int64_t number_of(std::string_view gap) {
  constexpr std::string_view prefix = "gap-";
  if (!gap.starts_with(prefix)) return 0;
  return parse_int(gap.substr(prefix.size())).value_or(0);
}

/// Those that close an open gap. One that an earlier attempt closed is passed over; a name that no
/// gap ever had is the caller's mistake.
Result<std::vector<GapResolved>> resolved(const std::vector<GapResolved>& sent,
                                          const KnownFacts& known) {
  std::vector<GapResolved> out;
  for (const GapResolved& each : sent) {
    const bool is_open =
        std::ranges::find(known.open_gaps, each.gap, &Gap::id) != known.open_gaps.end();
    const bool is_twice = std::ranges::find(out, each.gap, &GapResolved::gap) != out.end();
    if (is_open && !is_twice) out.push_back(each);
    const std::int64_t number = number_of(each.gap);
    if (is_open || (number >= 1 && number <= known.gaps_recorded)) continue;
    return fail(Code::INVALID_INPUT,
                cat("gap_resolution: there is no gap \"", each.gap, "\"; nothing was recorded"),
                known.open_gaps.empty()
                    ? std::string("no gap is open; send the call again without that artifact")
                    : cat(open_gap_list(known),
                          "; send the call again with one of these ids, or without that "
                          "artifact"));
  }
  return out;
}

/// What an output reports as facts of the new node.
Result<void> note(const NodeState& state, const Signals& signals, Judgement& out) {
  const auto here = [&](auto fact) {
    fact.run = state.run;
    fact.node = state.node;
    return fact;
  };
  for (const CapabilityObserved& each : signals.observations) out.facts.push_back(here(each));
  for (const DivergenceRecorded& each : signals.divergences) {
    out.facts_when_passed.push_back(here(each));
  }
  for (const GapResolved& each : TRY(resolved(signals.resolutions, state.known()))) {
    out.facts_when_passed.push_back(here(each));
  }
  return {};
}

void check_what_is_observed(const JudgeRequest& judging, const Signals& signals, Judgement& out) {
  if (signals.observations.empty()) return;
  NodeState after = judging.state;
  for (const CapabilityObserved& each : signals.observations) apply(after, each);
  CapabilityCheck checked =
      check_capabilities(judging.workflow, signals.observations, after.known());
  std::ranges::move(checked.findings, std::back_inserter(out.findings));
  std::ranges::move(checked.gaps, std::back_inserter(out.gaps));
}

void check_what_is_assessed(const JudgeRequest& judging, const Signals& signals, Judgement& out) {
  const auto* prompt = judging.step.as<workflow::PromptStep>();
  if (prompt == nullptr || prompt->assessments.empty()) return;
  const NodeState& state = judging.state;
  AssessmentCheck checked = check_assessments(
      judging.workflow, judging.step, signals.assessments,
      judging.after_block ? state.known().assessments : std::vector<Assessment>());
  std::ranges::move(checked.findings, std::back_inserter(out.findings));
  std::ranges::move(checked.gaps, std::back_inserter(out.gaps));
  json::Array shown;
  for (Assessment& each : checked.judged) {
    shown.push_back(to_json(each));
    // In this mode the run does not wait for a follow-up; the gap says that one was due.
    if (state.preferences.autonomy == Autonomy::full_auto_never_stop) each.guidance.clear();
    out.facts.push_back(AssessmentRecorded{state.run, state.node, std::move(each)});
  }
  if (!shown.empty()) out.step_context.set("assessments", std::move(shown));
}

Known<void> check_what_is_required(const JudgeRequest& judging, const OutputRules& rules,
                                   const Signals& signals, Judgement& out) {
  if (rules.empty()) return {};
  const RunScope scope = scope_at(judging.workflow, judging.state);
  std::optional<state::NoValue> problem;
  OutputCheck checked =
      check_output(rules, signals, judging.input.notes, [&](const json::Value& condition) {
        auto is_so = holds(condition, scope, judging.scripts);
        if (!is_so && !problem) problem = std::move(is_so).error();
        return is_so.value_or(false);
      });
  TRY(judging.scripts.settled());
  if (problem) return std::unexpected(*std::move(problem));
  if (!checked.was_checked) return {};
  ValidationPerformed fact{.run = judging.state.run,
                           .node = judging.state.node,
                           .contract = std::move(checked.contract),
                           .valid = checked.findings.empty(),
                           .issues = {},
                           .suggestions = {}};
  for (const Finding& each : checked.findings) {
    fact.issues.push_back(utf8::truncate(each.message, limits::validation_text_bytes_max));
    fact.suggestions.push_back(utf8::truncate(each.fix, limits::validation_text_bytes_max));
  }
  out.facts.push_back(std::move(fact));
  std::ranges::move(checked.findings, std::back_inserter(out.findings));
  return {};
}

/// What is found of a result is told with what is found of the rest of the output.
void note_validation(const JudgeRequest& judging, const std::vector<Finding>& findings,
                     Judgement& out) {
  ValidationPerformed fact{.run = judging.state.run,
                           .node = judging.state.node,
                           .contract = "result",
                           .valid = true,
                           .issues = {},
                           .suggestions = {}};
  for (const Event& each : out.facts) {
    if (const auto* found = std::get_if<ValidationPerformed>(&each)) fact = *found;
  }
  fact.valid = fact.valid && findings.empty();
  for (const Finding& each : findings) {
    fact.issues.push_back(utf8::truncate(each.message, limits::validation_text_bytes_max));
    fact.suggestions.push_back(utf8::truncate(each.fix, limits::validation_text_bytes_max));
  }
  std::erase_if(out.facts, [](const Event& each) {
    return std::holds_alternative<ValidationPerformed>(each);
  });
  out.facts.push_back(std::move(fact));
}

/// The result for the step's updates. An output that was found wrong too often is a failure.
Known<void> check_result(const JudgeRequest& judging, const Signals& signals, Judgement& out) {
  if (has_result(judging.step)) {
    const RunScope scope = scope_at(judging.workflow, judging.state);
    const auto rules = TRY(with_answer_rules(judging.step, scope, judging.scripts));
    std::optional<json::Value> sent = signals.result;
    if (!judging.earlier.empty() && leaves_out_result(judging.input)) {
      StoredResult stored = TRY(stored_result(judging.step, judging.state, judging.workflow,
                                              judging.earlier, judging.scripts));
      out.is_stored = stored.is_stored;
      if (out.is_stored) {
        out.made = std::move(stored.done);
        sent = std::move(stored.result);
        if (!sent) return {};
      }
    }
    StepResult read =
        read_result(rules ? *rules : judging.step, judging.step_key, sent, judging.input.notes);
    out.result = std::move(read.value);
    if (read.was_checked) note_validation(judging, read.findings, out);
    std::ranges::move(read.findings, std::back_inserter(out.findings));
  }
  const auto most = most_refused(judging.step);
  if (!most) return {};
  const bool is_refused = std::ranges::any_of(out.facts, [](const Event& each) {
    const auto* fact = std::get_if<ValidationPerformed>(&each);
    return fact != nullptr && !fact->valid;
  });
  const bool may_stop = judging.state.preferences.autonomy != Autonomy::full_auto_never_stop;
  if (is_refused && may_stop &&
      judging.state.known().setbacks.refused_at(judging.step_key) >= *most) {
    out.failure = {std::string(behaviour_of(judging.step).refused_as),
                   out.findings.front().message};
  }
  return {};
}

Finding missing_assumption(const JudgeRequest& judging) {
  return {Reason::missing_required_output,
          {PointerKind::output_contract, "assumption"},
          "in this mode you decide in the user's place, and no artifact says what you decided",
          cat("Send the whole output again with ", json::print(example_assumption()),
              "; or, when the user has said it, with ", json::print(example_confirmation()),
              " and the user's words, for the step \"", judging.step_key, "\".")};
}

/// The person's part in the step, which a failure has too.
Known<void> find_person(const JudgeRequest& judging, Judgement& out) {
  if (judging.is_simulated || judging.input.is_servers_own() || judging.input.tasks) return {};
  const NodeState& before = judging.before == nullptr ? judging.state : *judging.before;
  const bool is_confirmed =
      TRY(needs_confirmation(judging.workflow, judging.step, before, judging.scripts));
  out.person = person_rule(judging.step, judging.state.preferences, is_confirmed, out.has_answer);
  return {};
}

/// What the autonomy of the run asks where a person has a part in the step.
Known<void> check_persons_part(const JudgeRequest& judging, const Signals& signals,
                               Judgement& out) {
  const NodeState& state = judging.state;
  const auto assumed = [&](std::string summary) {
    summary = utf8::truncate(summary, limits::assumption_bytes_max);
    out.facts_when_passed.emplace_back(AssumptionRecorded{
        state.run, state.node, {std::string(judging.step_key), std::move(summary)}});
  };
  const auto untold = [&](std::string_view what) {
    if (state.preferences.autonomy != Autonomy::full_auto_never_stop) return;
    out.gaps.push_back({.id = {},
                        .severity = GapSeverity::warning,
                        .reason = Reason::needs_user_choice,
                        .summary = utf8::truncate(cat("the user was not asked; assumed: ", what),
                                                  limits::blocker_message_bytes_max),
                        .step = {}});
  };
  for (const std::string& each : signals.assumptions) assumed(each);
  const bool is_servers = judging.input.is_servers_own() || judging.input.tasks;
  if (judging.is_simulated || is_servers) return {};
  const std::string_view notes = judging.input.notes ? std::string_view(*judging.input.notes) : "";
  out.has_answer =
      out.is_stored || (signals.result ? !signals.result->is_null() : !trimmed(notes).empty());
  TRY(find_person(judging, out));
  const bool is_question = out.person.kind == GateKind::question;
  if (out.person.need == PersonRule::Need::assumption) {
    if (signals.assumptions.empty() && signals.confirmations.empty()) {
      out.findings.push_back(missing_assumption(judging));
    } else if (is_question && !signals.assumptions.empty()) {
      untold(signals.assumptions.back());
    }
  } else if (out.person.need == PersonRule::Need::fallback) {
    const std::string what =
        cat("the default ", out.result ? json::print(*out.result) : std::string("of the step"));
    assumed(what);
    untold(what);
  }
  return {};
}

bool is_in_loop(const JudgeRequest& judging) {
  return std::ranges::any_of(levels_of(judging.workflow, judging.state.cursor),
                             [](const BlockLevel& level) {
                               return level.owner != nullptr && behaviour_of(*level.owner).is_loop;
                             });
}

}  // namespace

Known<Judgement> judge(const JudgeRequest& judging) {
  Judgement out;
  const OutputRules rules = output_rules(judging.step);
  const Signals signals = read_artifacts(judging.input.artifacts, rules.contract);
  TRY(check_artifacts(signals, rules.contract));
  out.failure = judging.input.failure;
  if (!out.failure && signals.failure) out.failure = {"agent", *signals.failure};
  if (out.failure) {
    TRY(find_person(judging, out));
    TRY(note(judging.state, signals, out));
    return out;
  }
  TRY(check_user_needs(judging.step, signals.dependencies));
  TRY(check_what_is_required(judging, rules, signals, out));
  TRY(note(judging.state, signals, out));
  TRY(check_result(judging, signals, out));
  if (out.failure) {
    TRY(find_person(judging, out));
    return out;
  }
  TRY(check_persons_part(judging, signals, out));
  check_what_is_observed(judging, signals, out);
  check_what_is_assessed(judging, signals, out);
  std::ranges::move(open_user_needs(judging.step, judging.step_key, signals.dependencies),
                    std::back_inserter(out.findings));
  if (judging.input.preferences != PreferencesDelta{}) {
    out.warnings = preference_warnings(judging.workflow, judging.state.preferences);
  }
  if (!out.findings.empty()) {
    out.example = TRY(example_for(judging.workflow, judging.step, judging.state, judging.scripts));
  }
  // A contract may ask for a decision where there is nothing to decide: behind a loop, for example.
  const bool decides_nothing = rules.contract == "loop_control" && !is_in_loop(judging) &&
                               !is_before_loop(judging.workflow, judging.state.cursor);
  if (!decides_nothing) out.loop_controls = signals.loop_controls;
  return out;
}

Result<Judgement> note_checkpoint(const NodeState& state, const json::Array& artifacts) {
  Judgement out;
  if (artifacts.empty()) return out;
  const Signals signals = read_artifacts(artifacts);
  TRY(check_artifacts(signals));
  TRY(note(state, signals, out));
  return out;
}

}  // namespace baton::run
