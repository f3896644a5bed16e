#pragma once
// Starting: what begins a run, from its inputs to its first step. Pure.

#include "run/decide.h"
#include "run/walk.h"

namespace baton::run {

class Starting final : public Deciding {
 public:
  Starting(StartCommand command, const Draw& draw) : command_(std::move(command)), draw_(draw) {}
  Starting(const Starting&) = delete;
  Starting& operator=(const Starting&) = delete;

  Result<std::optional<Decided>> go(state::Answers& answers, Looks& looks) override;
  bool may_run() const override { return command_.may_run; }

 private:
  const workflow::CompiledWorkflow& workflow() const { return command_.workflow->workflow; }
  Result<void> begin(state::Answers& answers);
  Result<void> settle(state::Answers& answers);
  Result<void> walk(state::Answers& answers);
  Result<void> begin_proof(state::Answers& answers, Looks& looks);
  Decided decided(Reply reply, json::Object shown);

  const StartCommand command_;
  const Draw draw_;
  NodeState state_;
  std::vector<Event> facts_;  // that begin to hold at the root, settings first
  std::optional<Walk> walk_;
  bool has_begun_ = false;
  bool has_arrived_ = false;
  bool has_looked_ = false;
};

}  // namespace baton::run
