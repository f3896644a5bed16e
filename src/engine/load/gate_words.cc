#include "engine/load/gate_words.h"

#include <algorithm>
#include <iterator>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "engine/load/approvals.h"
#include "engine/load/load.h"

namespace baton::engine {
namespace {

Result<run::GateWord> word_in(const run::Commit& commit) {
  for (run::Event& event : TRY(events_of(commit))) {
    if (auto* answered = std::get_if<run::GateAnswered>(&event)) return std::move(answered->word);
  }
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("commit ", commit.no.value, " is not the word at a gate that its key names"));
}

Result<bool> counts(const ReadContext& reading, const run::NodeState& state, const run::Gate& gate,
                    const run::GateWord& word, run::CommitNo at) {
  const bool is_sealed = word.assurance == run::Assurance::sealed;
  return is_sealed ? is_genuine(reading, state, gate, word, at) : !word.seal;
}

/// What was said at that gate alone.
Result<GateWords> words_said(const ReadContext& reading, const run::NodeState& state,
                             const run::Gate& gate) {
  GateWords out;
  const auto last =
      TRY(reading.store.newest_by_prefix(state.session, run::gate_key_prefix(gate.node)));
  if (!last) return out;
  out.recorded = TRY(word_in(*last)).number;
  for (std::int64_t number = 1; number <= out.recorded; ++number) {
    const run::GateAnswered named{.run = state.run, .word = {.gate = gate.node, .number = number}};
    const auto commit = TRY(reading.store.commit_by_key(state.session, run::owner_key(named)));
    if (!commit) {
      return fail(
          Code::STORAGE_CORRUPTION_DETECTED,
          cat("word ", number, " at the gate of ", gate.node.text(), " is missing in the log"));
    }
    run::GateWord word = TRY(word_in(*commit));
    if (TRY(counts(reading, state, gate, word, commit->no))) out.counted.push_back(std::move(word));
  }
  return out;
}

/// Whether attempts at the open step of the node came before it: it is not where the run came to
/// it.
bool is_below_its_step(const run::NodeRow& node) {
  return node.kind == run::NodeKind::blocked_attempt || node.kind == run::NodeKind::checkpoint;
}

}  // namespace

Result<bool> is_genuine(const ReadContext& reading, const run::NodeState& state,
                        const run::Gate& gate, const run::GateWord& word,
                        std::optional<run::CommitNo> at) {
  return seal_is_good(reading, reading.signatures, {state.run, state.workflow_hash, gate}, word,
                      at);
}

Result<GateWords> gate_words(const ReadContext& reading, const run::NodeState& state,
                             const run::Gate& gate) {
  GateWords out = TRY(words_said(reading, state, gate));
  if (!run::is_about_output(gate.kind)) return out;
  const auto opened = TRY(reading.store.node_by_id(gate.node));
  if (!opened) return out;
  const auto heard = TRY(heard_gates(reading, state, *opened, gate.node));
  std::vector<run::GateWord> before = run::words_before(heard, gate, reading.clock.wall());
  out.counted.insert(out.counted.begin(), std::make_move_iterator(before.begin()),
                     std::make_move_iterator(before.end()));
  return out;
}

Result<std::vector<run::HeardGate>> heard_gates(const ReadContext& reading,
                                                const run::NodeState& state,
                                                const run::NodeRow& node, const NodeId& without) {
  std::vector<run::HeardGate> out;
  if (!is_below_its_step(node)) return out;
  // Most runs have no word of a person: one look tells.
  if (!TRY(reading.store.newest_by_prefix(node.session, run::owner_key_prefix))) return out;
  run::NodeRow at = node;
  for (std::size_t looked = 0; looked < limits::recap_walk_nodes_max; ++looked) {
    for (const run::Event& event : TRY(load_events(reading, at.no.commit()))) {
      const auto* opened = std::get_if<run::GateOpened>(&event);
      const bool is_its = opened != nullptr && opened->gate.node == at.id;
      if (!is_its || at.id == without || !run::is_about_output(opened->gate.kind)) continue;
      GateWords said = TRY(words_said(reading, state, opened->gate));
      out.push_back({opened->gate, std::move(said.counted)});
    }
    if (!is_below_its_step(at) || !at.parent) break;
    at = TRY(load_parent(reading, at));
  }
  std::ranges::reverse(out);
  return out;
}

Result<std::vector<run::GateWord>> words_at(const ReadContext& reading,
                                            const run::NodeState& state) {
  if (state.gate == nullptr) return std::vector<run::GateWord>();
  return TRY(gate_words(reading, state, *state.gate)).counted;
}

Result<std::optional<run::Gate>> gate_in(const run::AdvanceRecorded& record) {
  const json::Value* kind = record.reply.find("kind");
  const json::Value* gate = record.reply.find("gate");
  const bool is_blocked = kind != nullptr && kind->is_string() && *kind->if_string() == "blocked";
  if (!is_blocked || gate == nullptr) return std::nullopt;
  return TRY(run::from_json<run::Gate>(*gate));
}

std::string word_text(const run::GateWord& word) {
  const std::string_view how = word.source.how == run::ChangedHow::terminal ? " in a terminal"
                               : word.source.how == run::ChangedHow::form   ? " in a form"
                                                                            : "";
  return cat("the user (", word.source.principal, ") ", name_of(word.decision), " it", how,
             word.reason.empty() ? std::string() : cat(": ", printable_line(word.reason)));
}

Result<void> add_gate_words(const ReadContext& reading, const run::NodeState& state,
                            run::Reply& reply) {
  if (!reply.gate) return {};
  const run::Gate& gate = *reply.gate;
  const GateWords words = TRY(gate_words(reading, state, gate));
  const run::GateVerdict verdict = words.verdict(gate);
  const bool is_late = run::is_expired(gate, reading.clock.wall());
  if (verdict.word == nullptr && !is_late) return {};
  const std::string message =
      is_late ? std::string("the gate has expired, and what was said at it no longer counts")
              : word_text(*verdict.word);
  constexpr std::string_view fix = "Send the same output again, with the token of this answer.";
  for (run::Blocker& each : reply.blockers) {
    if (each.code != run::BlockerCode::GATE_WAITING) continue;
    each.message = message;
    each.suggested_fix = fix;
  }
  if (run::opens_on_arrival(gate.kind) && reply.pending) {
    reply.pending->prompt = cat("This step waited for a person: ", message, ". ", fix);
  }
  return {};
}

}  // namespace baton::engine
