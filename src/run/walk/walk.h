#pragma once
// The walk: from one step of a run to the next that an agent has to do, through conditionals and
// loops. It decides by the context, by the results of scripts and by the agent's loop decisions,
// and says how it made each decision. Pure.

#include <optional>
#include <string>
#include <vector>

#include "run/log/event.h"
#include "run/walk/walk_moves.h"

namespace baton::run {

struct Walked {
  Cursor cursor;
  /// What happened to the state on the way, in order, and what it is by now.
  std::vector<StateUpdated> updates = {};
  std::shared_ptr<const States> states = {};
  /// How the way was found; empty when the next step simply follows.
  std::vector<TraceEntry> trace = {};
  /// The loops that it ended at their bounds, in order.
  std::vector<LoopCut> cuts = {};
  /// The items of the step that it reached, for sub-agents; null for any other step.
  std::shared_ptr<const json::Value> items = {};
  /// If there is one, the walk has come no further: nothing else counts.
  std::optional<MissingLoopInput> obstacle = {};
};

/// A walk on its way. A value that keeps its place: when a step asks for scripts, that step alone
/// is done again once they are there. The workflow and its schemas must outlive it.
class Walk : private WalkMoves {
 public:
  /// To the first open step. `state` has the context and the frames; `schemas` may be nullptr when
  /// there are none.
  static Walk to_first(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
                       const NodeState& state) {
    return Walk(workflow, schemas, state, {}, {});
  }

  /// From the step at `cursor` to the next one. Loops of `given_up` are left where they
  /// lack something. STORE_CORRUPT when the workflow has no such step.
  static Result<Walk> onwards(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
                              const NodeState& state, Cursor cursor,
                              std::vector<std::string> given_up = {});

  /// From the step at `cursor`, which failed, to the first step again: the frames that
  /// it is in are left.
  static Walk again(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
                    const NodeState& state, Cursor cursor);

  /// To the first step of on_failure, or of a task's cleanup; to its end when the run fails
  /// already.
  static Walk to_failure(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
                         const NodeState& state);
  /// To the first open step of the task whose block begins at `state.cursor`.
  static Walk into_task(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
                        const NodeState& state) {
    return Walk(workflow, schemas, state, state.cursor, {});
  }

  /// Continues until it has arrived. LOOP_BOUND_REACHED when a loop
  /// would have more rounds than its bound, LIMIT_EXCEEDED after limits::walk_rounds_max steps
  /// without work: each says what to send instead. The error of a script that fails.
  Known<void> go(state::ScriptAnswers& answers, const FreshInputs& drawn);

  /// Where it has arrived; past the last step the run is complete. REQUIRES: go() returned without
  /// an error.
  Walked arrived() &&;

 private:
  using WalkMoves::WalkMoves;

  Known<void> look(Scripts& scripts);
  Known<void> visit(const workflow::Step& step, Scripts& scripts);
  Known<void> leave_all(Scripts& scripts);

  bool is_leaving_ = false;  // what it is in, for the first step
  std::size_t rounds_ = 0;
};

/// What is recorded of a loop that its bound ended. REQUIRES: it leaves work.
Gap gap_of(const LoopCut& cut);

/// A trace as events of `node`, each within the bounds of one.
void append_trace(std::vector<Event>& events, const RunId& run, const NodeId& node,
                  std::vector<TraceEntry> trace);

}  // namespace baton::run
