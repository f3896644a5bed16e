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

  Result<std::optional<Decided>> go(state::Answers& answers) override;

 private:
  const workflow::CompiledWorkflow& workflow() const { return command_.workflow->workflow; }
  Result<void> begin(state::Answers& answers);
  Result<void> settle();
  Result<void> walk(state::Answers& answers);
  Decided decided(Reply reply, json::Object shown);

  const StartCommand command_;
  const Draw draw_;
  NodeState state_;
  std::vector<Event> facts_;  // that begin to hold at the root, settings first
  std::optional<Walk> walk_;
  bool has_begun_ = false;
  bool has_arrived_ = false;
};

}  // namespace baton::run
