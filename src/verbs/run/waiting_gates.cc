#include "verbs/run/waiting_gates.h"

#include <algorithm>
#include <numeric>

#include "base/core/gate_limits.h"
#include "base/text/utf8.h"
#include "engine/load/gate_words.h"
#include "engine/load/load.h"
#include "engine/load/owner_words.h"
#include "engine/revocation.h"
#include "run/checks/artifacts.h"

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

/// The kind of an artifact.
std::string artifact_name(const json::Value& artifact) {
  const json::Value* kind = artifact.find("kind");
  return kind != nullptr && kind->is_string() ? *kind->if_string() : std::string();
}

/// The parts of an output.
class Parts {
 public:
  explicit Parts(WaitingGate& out) : out_(out) {}

  void add(GatePart::Kind kind, std::string_view name, std::string whole) {
    if (out_.parts.size() == limits::gate_parts_max) {
      ++out_.parts_left;
      return;
    }
    const Sha256 hash = sha256(whole);
    sizes_.push_back(whole.size());
    out_.parts.push_back({.kind = kind,
                          .name = utf8::truncate(name, limits::gate_part_name_bytes_max),
                          .text = std::move(whole),
                          .bytes = sizes_.back(),
                          .hash = hash});
  }

  /// As much of each as there is room for.
  void cut() {
    const std::vector<std::size_t> shares = fair_shares(sizes_, limits::gate_output_bytes_max);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      std::string& text = out_.parts[i].text;
      text.resize(utf8::prefix(text, shares[i]).size());
    }
  }

 private:
  WaitingGate& out_;
  std::vector<std::size_t> sizes_;
};

/// The output that the attempt at a gate sent: all that an approval lets pass with it, but for the
/// words to the gate itself. A gate that opened before its step began is about none.
Result<void> add_output(const engine::ReadContext& reading, const run::NodeRow& at,
                        WaitingGate& out) {
  const bool has_output = out.gate.output && run::is_about_output(out.gate.kind) &&
                          out.gate.kind != run::GateKind::raise;
  if (!has_output) return {};
  Parts parts(out);
  for (const run::Event& event : TRY(load_events(reading, at.no.commit()))) {
    if (const auto* set = std::get_if<run::ContextSet>(&event)) {
      for (const json::Member& each : set->delta) {
        parts.add(GatePart::Kind::context, each.key, json::print(each.value));
      }
    }
    const auto* output = std::get_if<run::NodeOutputAppended>(&event);
    if (output == nullptr) continue;
    if (const auto* notes = std::get_if<run::Notes>(&output->payload)) {
      parts.add(GatePart::Kind::notes, "", notes->markdown);
    } else if (const auto* artifact = std::get_if<run::Artifact>(&output->payload)) {
      const std::string name = artifact_name(artifact->content);
      if (name == run::confirmation_kind) continue;
      parts.add(GatePart::Kind::artifact, name, TRY(json::canonical(artifact->content)));
    }
  }
  parts.cut();
  return {};
}

}  // namespace

std::string_view name_of(GatePart::Kind kind) {
  switch (kind) {
    case GatePart::Kind::notes: return "notes";
    case GatePart::Kind::artifact: return "artifact";
    case GatePart::Kind::context: return "context";
  }
  return "";
}

std::vector<std::size_t> fair_shares(const std::vector<std::size_t>& sizes, std::size_t room) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return sizes[i]; });
  std::vector<std::size_t> out(sizes.size());
  for (std::size_t done = 0; done < order.size(); ++done) {
    const std::size_t share = std::min(sizes[order[done]], room / (order.size() - done));
    out[order[done]] = share;
    room -= share;
  }
  return out;
}

bool WaitingGate::is_cut() const {
  return parts_left > 0 || std::ranges::any_of(parts, &GatePart::is_cut);
}

Result<std::optional<WaitingGate>> waiting_gate(const engine::ReadContext& reading,
                                                const run::RunRow& run) {
  if (run.is_complete) return std::nullopt;
  const run::NodeRow tip = TRY(load_node(reading, run.tip));
  if (!TRY(may_wait(reading, tip))) return std::nullopt;
  const auto state = TRY(load_state(reading, tip));
  if (state->gate == nullptr) return std::nullopt;
  // A run that goes on no more waits for nothing. One that is paused does.
  const auto held = TRY(engine::hold_at(reading, *state));
  if (held && held->hold == run::Hold::cancelled) return std::nullopt;
  if (TRY(engine::is_revoked(reading, tip))) return std::nullopt;
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

Result<WaitingGates> waiting_gates(const engine::ReadContext& reading, std::size_t most) {
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
      if (out.gates.size() == most) {
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
