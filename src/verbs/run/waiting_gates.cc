#include "verbs/run/waiting_gates.h"

#include "base/core/gate_limits.h"
#include "base/text/utf8.h"
#include "engine/load/gate_words.h"
#include "engine/load/load.h"

namespace baton::verbs {
namespace {

constexpr std::size_t page_runs = 100;

/// Whether what happened at a point can leave the run at a gate. A step that was passed leaves it
/// at one only when its commit opened it.
Result<bool> may_wait(const engine::ReadContext& reading, const run::NodeRow& tip) {
  bool is_opened = false;
  bool is_blocked_by_gate = false;
  for (const run::Event& event : TRY(load_events(reading, tip.no.commit()))) {
    is_opened = is_opened || std::holds_alternative<run::GateOpened>(event);
    const auto* record = std::get_if<run::AdvanceRecorded>(&event);
    if (record != nullptr) is_blocked_by_gate = record->reply.find("gate") != nullptr;
  }
  if (tip.kind == run::NodeKind::blocked_attempt) return is_opened || is_blocked_by_gate;
  return is_opened || tip.kind == run::NodeKind::checkpoint;
}

/// The output that the attempt at a gate sent.
Result<void> add_output(const engine::ReadContext& reading, const run::NodeRow& at,
                        WaitingGate& out) {
  const bool is_about_none = run::is_brake(out.gate.kind) || out.gate.kind == run::GateKind::gap;
  if (!out.gate.output || is_about_none) return {};
  std::size_t room = limits::gate_output_bytes_max;
  for (const run::Event& event : TRY(load_events(reading, at.no.commit()))) {
    const auto* output = std::get_if<run::NodeOutputAppended>(&event);
    if (output == nullptr) continue;
    if (const auto* notes = std::get_if<run::Notes>(&output->payload)) {
      out.notes = utf8::truncate(notes->markdown, room);
      room -= std::min(room, out.notes.size());
    } else if (const auto* artifact = std::get_if<run::Artifact>(&output->payload)) {
      const std::size_t bytes = json::print(artifact->content).size();
      if (bytes > room) continue;
      room -= bytes;
      out.artifacts.push_back(artifact->content);
    }
  }
  return {};
}

}  // namespace

Result<std::optional<WaitingGate>> waiting_gate(const engine::ReadContext& reading,
                                                const run::RunRow& run) {
  if (run.is_complete) return std::nullopt;
  const run::NodeRow tip = TRY(load_node(reading, run.tip));
  if (!TRY(may_wait(reading, tip))) return std::nullopt;
  const auto state = TRY(load_state(reading, tip));
  if (state->gate == nullptr) return std::nullopt;
  engine::GateWords words = TRY(engine::gate_words(reading, *state, *state->gate));
  if (words.verdict(*state->gate).word != nullptr) return std::nullopt;
  const run::NodeRow at = TRY(load_node(reading, state->gate->node));
  WaitingGate out{.run = run,
                  .gate = *state->gate,
                  .workflow = state->workflow_hash,
                  .opened = at.created,
                  .is_expired = run::is_expired(*state->gate, reading.clock.wall()),
                  .words = std::move(words.counted)};
  TRY(add_output(reading, at, out));
  return out;
}

Result<WaitingGates> waiting_gates(const engine::ReadContext& reading) {
  WaitingGates out;
  std::optional<run::CommitNo> before;
  while (true) {
    const auto page = TRY(reading.store.runs(before, page_runs));
    for (const run::RunRow& run : page) {
      auto gate = waiting_gate(reading, run);
      if (!gate && engine::is_damage(gate.error())) {
        ++out.damaged;
        continue;
      }
      auto found = TRY(std::move(gate));
      if (!found) continue;
      if (out.gates.size() == limits::listed_gates_max) {
        out.has_more = true;
        return out;
      }
      out.gates.push_back(*std::move(found));
    }
    if (page.size() < page_runs) return out;
    before = page.back().last_commit;
  }
}

}  // namespace baton::verbs
