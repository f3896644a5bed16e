#include "verbs/run/answer_gate.h"

#include <algorithm>

#include "base/core/gate_limits.h"
#include "base/text/text.h"
#include "engine/load/gate_words.h"
#include "engine/load/load.h"
#include "run/decide/append_events.h"

namespace baton::verbs {
namespace {

/// A gate with the state of the node that has it.
struct OpenGate {
  run::Gate gate;
  std::shared_ptr<const run::NodeState> state;
};

std::unexpected<Error> refused(std::string message, std::string next) {
  return fail(Code::INVALID_INPUT, cat(std::move(message), "; nothing was recorded"),
              std::move(next));
}

Result<OpenGate> open_gate(const engine::ReadContext& reading, const run::RunRow& run,
                           const std::optional<NodeId>& node) {
  run::NodeRow row;
  if (node) {
    const auto found = TRY(reading.store.node_by_id(*node));
    if (!found || found->run != run.run) {
      return fail(Code::NOT_FOUND, cat("the run ", run.run.text(), " has no node ", node->text()),
                  Move::show_run);
    }
    row = *found;
  } else {
    row = TRY(load_node(reading, run.tip));
  }
  auto state = TRY(load_state(reading, row));
  if (state->gate == nullptr || (node && state->gate->node != *node)) {
    return fail(Code::NOT_FOUND,
                node ? cat("no gate was opened at ", node->text())
                     : cat("the run ", run.run.text(), " waits at no gate now"),
                Move::show_run);
  }
  return OpenGate{*state->gate, std::move(state)};
}

std::unexpected<Error> decided_already(const run::GateWord& word) {
  return refused(cat("this gate is decided: ", engine::word_text(word)),
                 "the first decision counts; the run goes on when its agent sends the output");
}

/// The decision that an attempt below the gate has recorded, by a word that came with it or by one
/// that was said at the gate.
Result<std::optional<run::GateWord>> recorded_decision(const engine::ReadContext& reading,
                                                       const run::NodeRow& at,
                                                       const run::Gate& gate) {
  std::vector<run::NodeRow> todo{at};
  for (std::size_t looked = 0; !todo.empty() && looked < limits::recap_walk_nodes_max; ++looked) {
    const run::NodeRow node = std::move(todo.back());
    todo.pop_back();
    for (run::NodeRow& child : TRY(reading.store.children(node.no, limits::recap_walk_nodes_max))) {
      for (const run::Event& event : TRY(load_events(reading, child.no.commit()))) {
        const auto* decided = std::get_if<run::GateDecided>(&event);
        const bool is_this = decided != nullptr && decided->step == gate.step &&
                             decided->kind == gate.kind && decided->output == gate.output;
        if (is_this) return decided->word;
      }
      // Below a node of the next step there is nothing about this one.
      if (child.kind != run::NodeKind::step) todo.push_back(std::move(child));
    }
  }
  return std::nullopt;
}

Result<void> check_assurance(const engine::ReadContext& reading, const OpenGate& open,
                             const run::GateWord& word) {
  if (word.assurance == run::Assurance::identified) {
    return refused("\"identified\" is reserved until callers have names of their own",
                   "decide in a terminal, or sign with an approval key");
  }
  if (!is_enough(word.assurance, open.gate.least)) {
    return refused(cat("this gate takes a word that is at least ", name_of(open.gate.least),
                       ", and this one is ", name_of(word.assurance)),
                   open.gate.least == run::Assurance::sealed
                       ? "sign the decision with an approval key"
                       : "decide in a terminal");
  }
  const bool is_sealed = word.assurance == run::Assurance::sealed;
  if (is_sealed != word.seal.has_value()) {
    return refused("a sealed decision has a seal, and no other has one", "sign it");
  }
  if (!is_sealed) return {};
  if (TRY(engine::is_genuine(reading, *open.state, open.gate, word))) return {};
  return refused("the seal is not of this decision, or not by an approval key of this store",
                 "sign the decision again with an approval key of this store");
}

/// What is to be recorded for the answer after what was said so far.
Result<AnsweredGate> next_word(engine::Engine& engine, const OpenGate& open,
                               const GateAnswer& answer) {
  const engine::ReadContext reading = engine.reading();
  const run::Gate& gate = open.gate;
  engine::GateWords words = TRY(engine::gate_words(reading, *open.state, gate));
  if (const run::GateVerdict before = words.verdict(gate); before.word != nullptr) {
    return decided_already(*before.word);
  }
  const run::NodeRow at = TRY(load_node(reading, open.state->node));
  if (const auto word = TRY(recorded_decision(reading, at, gate))) return decided_already(*word);
  AnsweredGate out{.gate = gate,
                   .word = {.gate = gate.node,
                            .number = words.recorded + 1,
                            .decision = answer.decision,
                            .assurance = answer.assurance,
                            .choice = answer.choice,
                            .reason = answer.reason,
                            .source = answer.source,
                            .seal = answer.seal}};
  TRY(check_assurance(reading, open, out.word));
  GateAnswer said = answer;
  TRY(check_answer(gate, said, engine.clock.wall()));
  if (!out.word.seal) out.word.choice = said.choice;
  const auto approvals = static_cast<std::int64_t>(words.counted.size());
  words.counted.push_back(out.word);
  out.is_decided = words.verdict(gate).word != nullptr;
  if (out.is_decided) return out;
  const bool is_again = std::ranges::any_of(
      words.counted.begin(), words.counted.end() - 1, [&](const run::GateWord& each) {
        return each.seal && out.word.seal && each.seal->key == out.word.seal->key;
      });
  if (is_again) return refused("this key has approved it already", "sign with another key");
  out.missing = gate.count - approvals - 1;
  return out;
}

}  // namespace

Result<void> check_answer(const run::Gate& gate, GateAnswer& answer, WallMs now) {
  TRY(run::check_text("the reason", answer.reason, limits::gate_reason_bytes_max,
                      run::fewer_words));
  const bool approves = answer.decision == run::GateDecision::approved;
  if (approves && run::is_expired(gate, now)) {
    return refused("this gate has expired, and an approval no longer counts",
                   "let the agent send its output again, which opens a new gate");
  }
  if (answer.choice.empty()) {
    if (!approves || gate.choices.empty()) return {};
    if (gate.choices.size() > 1) {
      return refused(cat("an approval of this gate is for one of ", choices_text(gate)),
                     "name the one that you choose");
    }
    answer.choice = gate.choices.front();
    return {};
  }
  if (std::ranges::count(gate.choices, answer.choice) > 0) return {};
  return gate.choices.empty() ? refused("this gate has no choices", "leave the choice out")
                              : refused(cat("this gate has other choices: ", choices_text(gate)),
                                        "name one of them");
}

Result<run::Gate> find_gate(const engine::ReadContext& reading, const run::RunRow& run,
                            const std::optional<NodeId>& node) {
  return TRY(open_gate(reading, run, node)).gate;
}

Result<AnsweredGate> answer_gate(engine::Engine& engine, const run::RunRow& run,
                                 const std::optional<NodeId>& gate, const GateAnswer& answer) {
  const engine::ReadContext reading = engine.reading();
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    // The head first: a decision that is recorded after this moment makes the append miss it.
    const run::SessionHead head = TRY(reading.store.head(run.session));
    const auto now = TRY(reading.store.run(run.run));
    if (!now)
      return fail(Code::NOT_FOUND, cat("there is no run ", run.run.text()), Move::list_runs);
    const OpenGate open = TRY(open_gate(reading, *now, gate));
    AnsweredGate out = TRY(next_word(engine, open, answer));
    const run::GateAnswered answered{run.run, out.word};
    run::CommitDraft draft(run.session, run::owner_key(answered), engine.clock.wall(),
                           {run::Event(answered)});
    draft.expected = head.seq;
    const auto outcome = TRY(engine.store.append(std::move(draft)));
    if (!std::holds_alternative<ports::Appended>(outcome)) continue;
    if (engine.watcher != nullptr) engine.watcher->advanced(reading, run.run);
    return out;
  }
  Error busy = Error::make(Code::TOKEN_SESSION_LOCKED,
                           "other calls changed this run first, each time; nothing was recorded",
                           "send the same call again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

}  // namespace baton::verbs
