#pragma once
// The walk: from one step of a run to the next that an agent has to do, through conditionals and
// loops. It decides by the context, by the results of scripts and by the agent's loop decisions,
// and says how it made each decision. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/artifacts.h"
#include "run/event.h"
#include "run/reasons.h"
#include "run/scope.h"
#include "run/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

/// Why a walk cannot go on: a loop lacks what it runs by. Either the agent did not say whether it
/// continues after a round, or the context has no items or count to start it with.
struct Obstacle {
  std::string loop;
  Finding finding;
  json::Object example;  // an `output` that would do, when that is what is lacking
};

struct Walked {
  Cursor cursor;
  /// What happened to the state on the way, in order, and what it is by now.
  std::vector<StateUpdated> updates = {};
  std::shared_ptr<const States> states = {};
  /// How the way was found; empty when the next step simply follows.
  std::vector<TraceEntry> trace = {};
  /// The items of the step that it reached, for sub-agents; null for any other step.
  std::shared_ptr<const json::Value> items = {};
  /// If there is one, the walk has come no further: nothing else counts.
  std::optional<Obstacle> obstacle = {};
};

/// A walk on its way. A value that keeps its place: when a step asks for scripts, that step alone
/// is done again once they are there. The workflow and its schemas must outlive it.
class Walk {
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

  /// Continues until it has arrived, or until something is lacking. LOOP_BOUND_REACHED when a loop
  /// would have more rounds than its bound, LIMIT_EXCEEDED after limits::walk_rounds_max steps
  /// without work: each says what to send instead. The error of a script that fails.
  Result<void> go(state::Answers& answers, const Drawn& drawn);

  /// Where it has arrived; past the last step the run is complete. REQUIRES: go() returned with
  /// nothing lacking.
  Walked arrived() &&;

 private:
  struct Inside {
    const workflow::Step* owner;
    const std::vector<workflow::Step>* steps;
  };

  Walk(const workflow::CompiledWorkflow& workflow, const Schemas* schemas, const NodeState& state,
       Cursor cursor, std::vector<std::string> given_up);

  Result<void> look(Scripts& scripts);
  Result<void> visit(const workflow::Step& step, Scripts& scripts);
  Result<void> branch(const workflow::Step& step, Scripts& scripts);
  Result<void> end_of_block(Scripts& scripts);
  Result<void> update(const workflow::Step& step, Scripts& scripts);
  Result<void> include(const workflow::Step& step, Scripts& scripts);
  Result<void> leave(Scripts& scripts);
  Result<void> leave_all(Scripts& scripts);
  Result<void> keep(std::vector<StateUpdated> updates);

  Result<void> spread(const workflow::Step& step, Scripts& scripts);
  void end_run();

  Result<void> enter(const workflow::Step& loop, Scripts& scripts);
  Result<void> end_of_round(Scripts& scripts);
  Result<void> begin_round(Scripts& scripts);
  Result<std::optional<bool>> decided(const workflow::Step& loop, Scripts& scripts);
  bool counted(const workflow::Step& loop);
  Result<std::optional<json::Value>> source_value(const workflow::Step& loop, Scripts& scripts);
  Result<bool> pin(const workflow::Step& loop, Scripts& scripts);
  Result<std::shared_ptr<const json::Value>> evaluated_list(const workflow::Step& loop,
                                                            Scripts& scripts);
  Result<void> lacks_rounds(const workflow::Step& loop, const std::string& source,
                            const std::optional<json::Value>& value);
  Result<void> lacks_decision(const workflow::Step& loop);
  Result<void> lacks(const workflow::Step& loop, Finding finding, json::Object example);
  Result<void> exit_loop(std::string_view why);
  Result<void> leave_to_loop(Scripts& scripts);

  void retrace();
  std::int64_t& index();
  Outermost outermost() const { return run::outermost(*workflow_, cursor_.position); }
  void push(const workflow::Step& owner, std::int64_t block);
  void pop();
  FramePlace place() const;
  Scope scope() const;
  Result<bool> evaluate(const json::Value& condition, const workflow::Step& step,
                        std::string_view field, Scripts& scripts);
  void note_round(const workflow::Step& loop, std::string_view why, bool goes_on);
  void note(TraceKind kind, std::string_view summary, std::vector<TraceRef> refs);

  const workflow::CompiledWorkflow* workflow_;
  const Schemas* schemas_;
  Cursor cursor_;
  std::shared_ptr<const json::Object> context_;
  std::shared_ptr<const States> states_;
  Setbacks setbacks_;
  bool is_leaving_ = false;  // what it is in, for the first step
  std::vector<StateUpdated> updates_;
  std::vector<std::string> given_up_;
  std::vector<Inside> path_;  // each level but the outermost belongs to a frame of the cursor
  std::vector<TraceEntry> trace_;
  std::optional<Obstacle> obstacle_;
  std::shared_ptr<const json::Value> items_;
  std::size_t rounds_ = 0;
  bool found_ = false;
};

/// Notes what the agent said of the loops around `cursor`: each the one it names, or the innermost
/// that an agent can decide. INVALID_INPUT when there is no such loop.
Result<void> note_decisions(const workflow::CompiledWorkflow& workflow, Cursor& cursor,
                            std::span<const LoopControl> controls);

/// A trace as events of `node`, each within the bounds of one.
void append_trace(std::vector<Event>& events, const RunId& run, const NodeId& node,
                  std::vector<TraceEntry> trace);

}  // namespace baton::run
