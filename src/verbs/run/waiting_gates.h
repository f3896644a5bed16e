#pragma once
// The gates where runs wait for a person, of all runs. Looked for at the newest point of each run
// that is not complete: the row of its node tells most of them apart, and the log of no run is
// read through. Reads only.

#include <vector>

#include "engine/engine.h"
#include "run/log/gate_events.h"

namespace baton::verbs {

struct WaitingGate {
  run::RunRow run;
  run::Gate gate;
  Sha256 workflow;  // the hash that the run is pinned to
  WallMs opened;
  bool is_expired = false;
  std::vector<run::GateWord> words = {};  // approvals so far, of a gate that takes several
  std::string notes = {};                 // of the output that it is about, cut where it is long
  json::Array artifacts = {};             // of that output, as far as there is room
};

/// The gate where one run waits; nothing when it does not, or when it is decided.
Result<std::optional<WaitingGate>> waiting_gate(const engine::ReadContext& reading,
                                                const run::RunRow& run);

struct WaitingGates {
  std::vector<WaitingGate> gates;  // of the run that was active last first
  bool has_more = false;           // than limits::listed_gates_max
  std::int64_t damaged = 0;        // runs that could not be looked at
};

Result<WaitingGates> waiting_gates(const engine::ReadContext& reading);

}  // namespace baton::verbs
