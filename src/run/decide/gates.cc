#include "run/decide/gates.h"

#include <algorithm>
#include <set>

#include "base/core/gate_limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/checks/artifacts.h"
#include "run/decide/append_events.h"
#include "run/decide/gate_question.h"
#include "run/effects/place_effect.h"
#include "run/show/prompt_values.h"
#include "run/steps/behaviour.h"
#include "run/steps/shell_command.h"

namespace baton::run {
namespace {

using json::Object;
using workflow::Step;

constexpr std::int64_t minute_ms = 60'000;

bool is_same(const Gate& gate, const GateAsk& ask) {
  return gate.step == ask.step && gate.kind == ask.kind && gate.output == ask.output;
}

/// How a word of each assurance gets back, as an order.
std::string how_to_answer(const Gate& gate) {
  switch (gate.least) {
    case Assurance::claimed: {
      const std::string artifact =
          R"({"kind":"baton.confirmation","words":"<fill in: the user's own words>")";
      if (gate.choices.size() < 2) {
        return cat(
            "Ask the user. If the user agrees, send the same output again with the artifact ",
            artifact, "}. If not, send another output.");
      }
      return cat(
          "Ask the user which of ", choices_text(gate),
          " it is, and send the same output again with the artifact ", artifact,
          R"(,"choice":"<that one>"}. If the user wants none of them, send another output.)");
    }
    case Assurance::asked:
      return "Tell the user what is asked. A client that shows forms asks the user when you send "
             "the same output again; without forms the user answers in a terminal. What you say "
             "for the user does not count.";
    case Assurance::present:
      return "Tell the user what is asked, and wait. Only the user can answer, in a terminal. "
             "Then send the same output again.";
    case Assurance::sealed:
    case Assurance::identified: break;
  }
  return "Tell the user what is asked, and wait. Only the user can answer, in a terminal, signed "
         "with an approval key. Then send the same output again.";
}

/// How a gate opens without a word, as an order; empty where only a word opens it.
std::string_view other_way(GateKind kind) {
  if (kind != GateKind::gap) return {};
  return " Or, once what is missing is there, send "
         R"({"kind":"baton.gap_resolution","gapId":"<id>","summary":"<how it was closed>"})"
         " for each of these gaps among the artifacts of this step: then it starts.";
}

std::string whom(const Gate& gate) {
  return gate.who.empty() ? std::string("the user") : cat("the user (", gate.who, ')');
}

Finding waiting(const Gate& gate, std::span<const GateWord> came) {
  std::string message = cat(whom(gate), " decides first: ", gate.question);
  if (gate.count > 1) message += cat(" (", gate.count, " approvals by different keys)");
  const bool is_short = std::ranges::any_of(came, [&](const GateWord& each) {
    return each.decision == GateDecision::approved && !is_enough(each.assurance, gate.least);
  });
  if (is_short) {
    message = cat("The gate takes a word that is at least ", name_of(gate.least),
                  ", and the one that came is not; ", message);
  } else if (std::ranges::any_of(came, [&](const auto& each) { return !is_clear(gate, each); })) {
    message = cat("The gate takes a word that names one of ", choices_text(gate),
                  ", and the one that came does not; ", message);
  }
  return {Reason::gate_waiting,
          {PointerKind::workflow_step, gate.step},
          std::move(message),
          how_to_answer(gate)};
}

Finding refused(const Gate& gate, const GateWord& word) {
  return {Reason::gate_refused,
          {PointerKind::workflow_step, gate.step},
          cat("the user (", word.source.principal, ") refused it",
              word.reason.empty() ? " and gave no reason" : ": ", word.reason),
          "Do what the reason asks for, and send another output."};
}

Gate gate_of(const GateAsk& ask, const NodeId& node, WallMs now) {
  Gate out{.node = node,
           .step = ask.step,
           .kind = ask.kind,
           .question = utf8::truncate(ask.question, limits::gate_question_bytes_max),
           .least = ask.least,
           .who = ask.who,
           .count = ask.count,
           .output = ask.output,
           .choices = ask.choices,
           .offer = ask.offer};
  if (ask.expires_minutes) out.expires = WallMs{now.value + *ask.expires_minutes * minute_ms};
  return out;
}

/// What the author says of the gate of a step.
void take_said(const Step& step, GateAsk& ask) {
  if (!step.gate) return;
  if (step.gate->who) ask.who = *step.gate->who;
  ask.count = step.gate->count.value_or(1);
  ask.expires_minutes = step.gate->expires_minutes;
}

Known<std::string> question_of(const Step& step, const RunScope& scope, Scripts& scripts,
                               std::string otherwise) {
  if (!step.gate || !step.gate->prompt) return otherwise;
  std::string out = with_values(*step.gate->prompt, scope, scripts);
  TRY(scripts.settled());
  return out;
}

Sha256 hash_of(const ProcessIntended& intended) {
  json::Array argv;
  for (const std::string& each : intended.argv) argv.emplace_back(each);
  Object environment;
  for (const auto& [name, value] : intended.environment) environment.set(name, value);
  const Object whole{{"argv", std::move(argv)},
                     {"directory", intended.directory},
                     {"environment", std::move(environment)}};
  return sha256(json::print(whole));
}

/// What was sent as the answer of a user.
std::string answer_text(const StepInput& input) {
  const Signals signals = read_artifacts(input.artifacts);
  if (signals.result) {
    const std::string* text = signals.result->if_string();
    return text != nullptr ? *text : json::print(*signals.result);
  }
  return input.notes.value_or("");
}

void count_in(const std::vector<Step>& steps, std::int64_t& count) {
  for (const Step& each : steps) {
    if (each.gate) ++count;
    for (const workflow::Block& block : each.blocks) count_in(block.steps, count);
  }
}

}  // namespace

GateVerdict verdict_of(const Gate& gate, std::span<const GateWord> words) {
  std::set<std::string> keys;
  std::int64_t approvals = 0;
  for (const GateWord& each : words) {
    if (!is_enough(each.assurance, gate.least) || !is_clear(gate, each)) continue;
    if (each.decision == GateDecision::refused) return {GateVerdict::Kind::refused, &each};
    const bool is_known = gate.count > 1 && (!each.seal || !keys.insert(each.seal->key).second);
    if (!is_known && ++approvals >= gate.count) return {GateVerdict::Kind::approved, &each};
  }
  return {};
}

bool asks_the_same(const Gate& gate, const Gate& other) {
  return gate.step == other.step && gate.kind == other.kind && gate.output == other.output;
}

std::vector<GateWord> words_before(std::span<const HeardGate> heard, const Gate& gate, WallMs now) {
  if (!is_about_output(gate.kind)) return {};
  for (const HeardGate& each : heard) {
    if (!asks_the_same(each.gate, gate)) continue;
    const GateVerdict verdict = verdict_of(each.gate, each.words);
    const bool is_late = verdict.kind == GateVerdict::Kind::approved && is_expired(each.gate, now);
    if (verdict.word != nullptr && !is_late) return each.words;
  }
  return {};
}

std::string choices_text(const Gate& gate, std::string_view between) {
  std::string out;
  for (const std::string& each : gate.choices) out += cat(out.empty() ? "" : between, each);
  return out;
}

bool is_clear(const Gate& gate, const GateWord& word) {
  if (word.decision == GateDecision::refused || gate.choices.empty()) return true;
  // Where there is one choice, an approval is for it.
  if (word.choice.empty()) return gate.choices.size() < 2;
  return std::ranges::count(gate.choices, word.choice) > 0;
}

bool is_expired(const Gate& gate, WallMs now) {
  return gate.expires && now.value >= gate.expires->value;
}

Assurance least_of(const Step& step, const Policy& policy) {
  std::optional<Assurance> said;
  if (step.gate && step.gate->assurance) said = from_name<Assurance>(*step.gate->assurance);
  // A default counts only where nothing is said.
  if (said && policy.assurance.is_default()) return *said;
  const Assurance least = least_of(policy);
  return !said || !is_enough(*said, least) ? least : *said;
}

Assurance least_of(const Policy& policy) {
  Assurance out = Assurance::claimed;
  for (const Assurance each : policy.assurance.value) {
    if (!is_enough(out, each)) out = each;
  }
  return out;
}

Result<Sha256> gate_output(const StepInput& input) {
  StepInput output = input;
  output.preferences = {};
  std::erase_if(output.artifacts, [](const json::Value& each) {
    const json::Value* kind = each.find("kind");
    return kind != nullptr && kind->is_string() && *kind->if_string() == confirmation_kind;
  });
  return input_hash(output);
}

Pending pending_gate(const Step& step, const Gate& gate) {
  return {.step_id = gate.step,
          .title = step.title,
          .prompt = cat("This step waits for a person and has not begun. Do nothing for it "
                        "yourself.\n\nAsked is ",
                        whom(gate), ": ", gate.question, "\n\n", how_to_answer(gate),
                        " The output of this step may be empty until then.", other_way(gate.kind)),
          .require_confirmation = false,
          .agent_role = std::nullopt};
}

const PassedGate* passed_gate(const NodeState& state, const GateAsk& ask) {
  for (const PassedGate& each : state.known().passed) {
    if (each.step == ask.step && each.kind == ask.kind && each.output == ask.output) return &each;
  }
  return nullptr;
}

void open_gate(const GateAsk& ask, NodeState& state, std::vector<Event>& facts, WallMs now) {
  GateOpened opened{state.run, gate_of(ask, state.node, now)};
  apply(state, opened);
  facts.emplace_back(std::move(opened));
}

Passage Gates::pass(const GateAsk& ask, NodeState& state, std::vector<Event>& facts) const {
  if (const PassedGate* before = passed_gate(parent_, ask)) return {true, before->choice};
  const Gate* open = parent_.gate.get();
  const bool is_open = open != nullptr && is_same(*open, ask) && !is_expired(*open, now_);
  Gate gate = is_open ? *open : gate_of(ask, state.node, now_);
  // Neither a change of the policy nor another client makes it easier to pass.
  if (!is_enough(gate.least, ask.least)) gate.least = ask.least;
  // What was decided about this output before counts before anything that comes now.
  std::vector<GateWord> words = words_before(heard_, gate, now_);
  if (is_open) words.insert(words.end(), words_.begin(), words_.end());
  words.insert(words.end(), came_.begin(), came_.end());
  const GateVerdict verdict = verdict_of(gate, words);
  if (verdict.kind == GateVerdict::Kind::waiting) {
    if (is_open) {
      state.gate = parent_.gate;
    } else {
      open_gate(ask, state, facts, now_);
    }
    return {.finding = waiting(gate, came_)};
  }
  GateDecided decided{state.run, state.node, ask.step, ask.kind, ask.output, *verdict.word};
  apply(state, decided);
  facts.emplace_back(std::move(decided));
  if (verdict.kind == GateVerdict::Kind::approved) {
    return {true, verdict.word->choice, verdict.word->source};
  }
  return {.finding = refused(gate, *verdict.word), .is_refused = true};
}

std::vector<GateWord> words_with(const StepInput& input, const ChangeSource& source,
                                 const std::optional<GateWord>& asked, const NodeId& node) {
  std::vector<GateWord> out;
  if (source.how == ChangedHow::terminal) {
    out.push_back({.gate = node, .assurance = Assurance::present, .source = source});
  }
  if (asked) {
    out.push_back(*asked);
    out.back().gate = node;
    out.back().assurance = std::min(asked->assurance, Assurance::asked);
    out.back().seal.reset();
  }
  const Signals signals = read_artifacts(input.artifacts);
  if (!signals.confirmations.empty()) {
    out.push_back({.gate = node,
                   .choice = signals.choice,
                   .reason = signals.confirmations.back(),
                   .source = source});
  }
  return out;
}

// --- the questions of each kind -----------------------------------------------------------------

GateAsk raise_ask(std::string step, const Preferences& from, const Preferences& to,
                  const Policy& policy) {
  GateAsk out{.kind = GateKind::raise, .step = std::move(step), .question = {}};
  std::string what;
  if (to.autonomy > from.autonomy) {
    what = cat("autonomy ", name_of(to.autonomy), " in place of ", name_of(from.autonomy));
    out.offer.set("autonomy", name_of(to.autonomy));
  }
  if (to.risk_policy > from.risk_policy) {
    what += cat(what.empty() ? "" : " and ", "risk policy ", name_of(to.risk_policy),
                " in place of ", name_of(from.risk_policy));
    out.offer.set("riskPolicy", name_of(to.risk_policy));
  }
  out.question = cat("May the run go further without you: ", what, '?');
  out.output = sha256(json::print(out.offer));
  out.least = least_of(policy);
  return out;
}

Known<std::optional<GateAsk>> command_ask(const workflow::CompiledWorkflow& workflow,
                                          const NodeState& state, const ProcessIntended* intended,
                                          const Policy& policy, Scripts& scripts) {
  const Step* step = step_at(workflow, state.cursor);
  const bool has_gate = step != nullptr && step->gate && behaviour_of(*step).is_for_server;
  if (!has_gate || state.open_steps.empty()) return std::nullopt;
  GateAsk out{.kind = GateKind::command, .step = state.open_steps.front(), .question = {}};
  const std::string otherwise = cat("May the command of the step \"", step->title, "\" start?");
  out.question = TRY(question_of(*step, scope_at(workflow, state), scripts, otherwise));
  // The author's words do not describe what starts, be it the server or the agent that runs it.
  std::optional<ProcessIntended> agents;
  if (intended == nullptr) {
    auto found = command_at(workflow, state, "agent", scripts);
    // What is wrong with its values is told with the step.
    if (!found && found.error().if_error() == nullptr) {
      return std::unexpected(std::move(found).error());
    }
    if (found) agents = *std::move(found);
  }
  const ProcessIntended* shown = agents ? &*agents : intended;
  out.question = cat(beginning_of(out.question, limits::gate_prompt_bytes_max),
                     shown == nullptr ? std::string() : command_lines(*shown),
                     agents ? "\nThe agent runs it." : "", place_lines(workflow, state));
  out.least = least_of(*step, policy);
  take_said(*step, out);
  if (intended != nullptr) out.output = hash_of(*intended);
  return out;
}

std::optional<GateAsk> gap_ask(const workflow::CompiledWorkflow& workflow, const Step& step,
                               const NodeState& state, const ProcessIntended& intended,
                               const Policy& policy) {
  if (step.despite_gaps || !has_effect(step)) return std::nullopt;
  std::string about = intended.step;
  std::string list;
  for (const Gap& each : state.known().open_gaps) {
    if (each.severity != GapSeverity::critical) continue;
    about += cat(' ', each.id);
    list += cat(list.empty() ? "" : "; ", each.id, ": ", each.summary);
  }
  if (list.empty()) return std::nullopt;
  return GateAsk{.kind = GateKind::gap,
                 .step = intended.step,
                 .question = cat("May the command of the step \"", step.title,
                                 "\" start in spite of critical gaps? Open are ",
                                 beginning_of(list, limits::gate_prompt_bytes_max),
                                 command_lines(intended), place_lines(workflow, state)),
                 .least = least_of(step, policy),
                 .output = sha256(about)};
}

Known<void> begin_command(const CommandBeginning& at, NodeState& state, std::vector<Event>& facts,
                          Scripts& scripts) {
  auto intended = TRY(command_at(at.workflow, state, at.runner, scripts));
  const bool may_wait = state.process == nullptr && state.run_state == RunState::running;
  if (may_wait && !at.is_simulated) {
    const workflow::Step* step = step_at(at.workflow, state.cursor);
    auto ask = step != nullptr && intended
                   ? gap_ask(at.workflow, *step, state, *intended, at.policy)
                   : std::optional<GateAsk>();
    if (!ask || passed_gate(state, *ask) != nullptr) {
      ask =
          TRY(command_ask(at.workflow, state, intended ? &*intended : nullptr, at.policy, scripts));
    }
    if (ask && passed_gate(state, *ask) == nullptr) {
      // An attempt that came to it has opened it already, or waits at it still.
      const bool is_open = state.gate != nullptr && is_same(*state.gate, *ask);
      if (!is_open) open_gate(*ask, state, facts, at.now);
      return {};
    }
  }
  if (intended) append_fact(facts, state, *std::move(intended));
  return {};
}

Known<GateAsk> person_ask(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                          const PersonRule& rule, const StepInput& input, const Policy& policy,
                          Scripts& scripts) {
  const Step& step = *step_at(workflow, state.cursor);
  const RunScope scope = scope_at(workflow, state);
  GateAsk out{.kind = rule.kind, .step = state.open_steps.front(), .question = {}};
  std::string otherwise = cat("Do you agree with the output of the step \"",
                              with_values(step.title, scope, scripts), "\"?");
  if (const auto* asked = step.as<workflow::UserInput>()) {
    const std::string answer = answer_text(input);
    otherwise = cat(with_values(asked->message, scope, scripts),
                    answer.empty() ? std::string("\nNo answer was sent; the default would count.")
                                   : cat("\nThe answer that was sent: ", answer),
                    "\nIs that right?");
  }
  TRY(scripts.settled());
  out.question = cat(TRY(question_of(step, scope, scripts, std::move(otherwise))),
                     state.task ? place_lines(workflow, state) : "");
  out.least = least_of(step, policy);
  take_said(step, out);
  out.output = TRY(gate_output(input));
  return out;
}

std::int64_t count_gates(const workflow::CompiledWorkflow& workflow) {
  std::int64_t count = 0;
  count_in(workflow.steps, count);
  count_in(workflow.on_failure, count);
  for (const auto& [name, blocks] : workflow.tasks) {
    for (const workflow::Block& block : blocks) count_in(block.steps, count);
  }
  return count;
}

}  // namespace baton::run
