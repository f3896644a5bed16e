#pragma once
// StartingTask: what begins the run of a sub-agent's task. Its first commit has all that it goes by
// of the run it belongs to, so that it stands by itself from there on. Pure.

#include "run/decide.h"
#include "run/walk.h"

namespace baton::run {

class StartingTask final : public Deciding {
 public:
  StartingTask(TaskCommand command, const Draw& draw) : command_(std::move(command)), draw_(draw) {}
  StartingTask(const StartingTask&) = delete;
  StartingTask& operator=(const StartingTask&) = delete;

  Result<std::optional<Decided>> go(state::Answers& answers, Looks& looks) override;
  bool may_run() const override { return command_.may_run; }

 private:
  /// What the task's declaration comes to for its item.
  struct Given {
    json::Object context;
    json::Object inputs;
  };

  const workflow::CompiledWorkflow& workflow() const { return command_.workflow->workflow; }
  void settle();
  Result<void> begin(state::Answers& answers);
  Result<Given> given(state::Answers& answers) const;
  Result<void> take_over(const Given& given, state::Answers& answers);
  Result<void> walk(state::Answers& answers);
  Result<void> begin_proof(state::Answers& answers, Looks& looks);
  Decided decided(Reply reply, json::Object shown);

  const TaskCommand command_;
  const Draw draw_;
  NodeState state_;
  std::vector<Event> facts_;  // that begin to hold at the root, settings first
  std::optional<Walk> walk_;
  bool has_arrived_ = false;
  bool has_looked_ = false;
};

}  // namespace baton::run
