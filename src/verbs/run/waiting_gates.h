#pragma once
// The gates where runs wait for a person, of all runs. Looked for at the newest point of each run
// that is not complete: the row of its node tells most of them apart, and the log of no run is
// read through. Reads only.

#include <string>
#include <string_view>
#include <vector>

#include "base/core/gate_limits.h"
#include "engine/engine.h"
#include "run/log/gate_events.h"

namespace baton::verbs {

/// A part of the output that a gate is about.
struct GatePart {
  enum class Kind : std::uint8_t { notes, artifact, context } kind = Kind::notes;
  std::string name;  // the kind of an artifact, the key of a change of the context; may be empty
  std::string text;  // its beginning; Markdown, or JSON
  std::size_t bytes = 0;  // of the whole
  Sha256 hash;            // of the whole

  bool is_cut() const { return text.size() < bytes; }
};

std::string_view name_of(GatePart::Kind kind);

/// How much of texts of these sizes is shown where there is so much room for all: of each the same,
/// so that a long one hides no short one.
std::vector<std::size_t> fair_shares(const std::vector<std::size_t>& sizes, std::size_t room);

struct WaitingGate {
  run::RunRow run;
  run::Gate gate;
  Sha256 workflow;  // the hash that the run is pinned to
  WallMs opened;
  bool is_expired = false;
  std::vector<run::GateWord> words = {};  // approvals so far, of a gate that takes several
  std::vector<GatePart> parts = {};       // of the output that it is about; of none otherwise
  std::size_t parts_left = 0;             // past limits::gate_parts_max

  bool is_cut() const;  // not all of the output is here
};

/// The gate where one run waits; nothing when it does not, when it is decided, or when the run was
/// cancelled or revoked.
Result<std::optional<WaitingGate>> waiting_gate(const engine::ReadContext& reading,
                                                const run::RunRow& run);

struct WaitingGates {
  std::vector<WaitingGate> gates;  // of the run that was active last first
  bool has_more = false;           // than were asked for
  std::int64_t damaged = 0;        // runs that could not be looked at
};

/// At most `most` of them.
Result<WaitingGates> waiting_gates(const engine::ReadContext& reading,
                                   std::size_t most = limits::listed_gates_max);

}  // namespace baton::verbs
