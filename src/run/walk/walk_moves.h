#pragma once
// WalkMoves: what a step may do to a walk that comes to it. The files of run/steps use this;
// to find the next step use Walk (run/walk/walk.h). Pure.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/decide/verdict.h"
#include "run/log/event.h"
#include "run/walk/scope.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

/// Why a walk cannot continue: a loop lacks what it runs by. Either the agent did not say whether
/// it continues after a round, or the context has no items or count to start it with.
struct MissingLoopInput {
  std::string loop;
  Finding finding;
  json::Object example;  // an `output` that would do, when that is what is lacking
};

/// A loop that ended because it had had all the rounds of its bound.
struct LoopCut {
  std::string loop;
  std::string message;       // what happened, and what was left out
  bool leaves_work = false;  // whether the loop itself would have continued
  bool operator==(const LoopCut&) const = default;
};

class WalkMoves {
 public:
  // --- where it is ---

  const workflow::CompiledWorkflow& workflow() const { return *workflow_; }
  const Cursor& cursor() const { return cursor_; }
  /// nullptr: the workflow has no state.
  const States* states() const { return states_.get(); }
  const Schemas* schemas() const { return schemas_; }
  /// The step whose block it is in. REQUIRES: it is in one.
  const workflow::Step& owner() const { return *path_.back().owner; }
  /// The innermost frame. REQUIRES: it is in a block.
  CursorFrame& frame() { return cursor_.frames.back(); }
  FramePlace place() const;
  RunScope scope() const;
  /// The same with further loop variables.
  RunScope scope_with(json::Object more) const;
  /// Whether the run continues without a step that lacks what it runs by.
  bool is_given_up(std::string_view step) const;

  // --- where it goes ---

  /// Behind the step that it is at.
  void pass() { ++index(); }
  /// Into a block of that step.
  void enter(const workflow::Step& owner, std::size_t block);
  /// Out of the innermost block, to the step whose block it is; what is of that block ends.
  Known<void> leave(Scripts& scripts);
  /// Out of all blocks inside the innermost loop. REQUIRES: there is a loop around; the compiler
  /// checks that.
  Known<void> leave_to_loop(Scripts& scripts);
  /// The same without an end of anything.
  void drop_block();
  /// To the end of the run.
  void end_run();
  /// An agent or a person has to do the step. `items` are for sub-agents.
  void stop(std::shared_ptr<const json::Value> items = {});
  /// Says that a loop ended at its bound.
  void cut(LoopCut cut) { cuts_.push_back(std::move(cut)); }
  void meet(MissingLoopInput obstacle) { obstacle_ = std::move(obstacle); }

  // --- what it does and notes on the way ---

  Result<void> keep(std::vector<StateUpdated> updates);
  /// Whether a condition holds, with a note of it. `field` names it in the step.
  Known<bool> evaluate(const json::Value& condition, const workflow::Step& step,
                       std::string_view field, Scripts& scripts);
  void note(TraceKind kind, std::string_view summary, std::vector<TraceRef> refs);

 protected:
  WalkMoves(const workflow::CompiledWorkflow& workflow, const Schemas* schemas,
            const NodeState& state, Cursor cursor, std::vector<std::string> given_up);

  struct Inside {
    const workflow::Step* owner;
    const std::vector<workflow::Step>* steps;
  };

  void retrace();
  std::int64_t& index();
  Outermost outermost() const { return run::outermost(*workflow_, cursor_.position); }

  const workflow::CompiledWorkflow* workflow_;
  const Schemas* schemas_;
  Cursor cursor_;
  std::shared_ptr<const json::Object> context_;
  std::shared_ptr<const States> states_;
  FailureCounts setbacks_;
  RunId run_;  // by which agents name it
  std::vector<StateUpdated> updates_;
  std::vector<std::string> given_up_;
  std::vector<Inside> path_;  // each level but the outermost belongs to a frame of the cursor
  std::vector<TraceEntry> trace_;
  std::vector<LoopCut> cuts_;
  std::optional<MissingLoopInput> obstacle_;
  std::shared_ptr<const json::Value> items_;
  bool found_ = false;
};

}  // namespace baton::run
