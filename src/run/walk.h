#pragma once
// The walk: from one step of a run to the next that somebody has to do, through conditionals and
// loops. It decides by the context and by what the agent said of loops, and says how it came to
// each decision. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/artifacts.h"
#include "run/event.h"
#include "run/reasons.h"
#include "workflow/compiled.h"

namespace baton::run {

/// Why a walk cannot go on: a loop lacks what it runs by. Either the agent did not say whether it
/// goes on after a round, or the context has no items or count to begin it with.
struct Obstacle {
  std::string loop;
  Finding finding;
  json::Object example;  // an `output` that would do, when that is what is lacking
};

struct Walked {
  Cursor cursor;
  /// How the way was found; empty when the next step simply follows.
  std::vector<TraceEntry> trace;
  /// If there is one, the walk has come no further: neither the cursor nor the trace counts.
  std::optional<Obstacle> obstacle;
};

/// To the first open step. The errors are those of next_step, and an obstacle is INVALID_INPUT.
Result<Walked> first_step(const workflow::CompiledWorkflow& workflow, const json::Object& context);

/// From the step that `cursor` stands at to the next one. Past the last step the run is complete.
/// Loops of `given_up` are left where they lack something. LOOP_BOUND_REACHED when a loop would
/// have more rounds than its bound, LIMIT_EXCEEDED after limits::walk_rounds_max steps without
/// work: each says what to send instead.
Result<Walked> next_step(const workflow::CompiledWorkflow& workflow, Cursor cursor,
                         const json::Object& context, std::span<const std::string> given_up = {});

/// Notes what the agent said of the loops around `cursor`: each the one it names, or the innermost
/// that an agent can decide. INVALID_INPUT when there is no such loop.
Result<void> note_decisions(const workflow::CompiledWorkflow& workflow, Cursor& cursor,
                            std::span<const LoopControl> controls);

/// A trace as events of `node`, each within the bounds of one.
void append_trace(std::vector<Event>& events, const RunId& run, const NodeId& node,
                  std::vector<TraceEntry> trace);

}  // namespace baton::run
