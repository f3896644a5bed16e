#pragma once
// Starting: what begins a run, from its inputs to its first step. Pure.

#include "run/decide/first_step.h"

namespace baton::run {

class StartDecision final : public FirstStepDecision {
 public:
  StartDecision(StartCommand command, const FreshValues& draw);

 private:
  Known<void> begin(state::ScriptAnswers& answers) override;
  Known<void> settle(state::ScriptAnswers& answers);
  Error obstructed(const MissingLoopInput& obstacle) const override;
  RunStarted started() const override;
  std::vector<std::pair<ObservationKey, std::string>> observed() const override;
  std::vector<std::string> warnings() const override;

  const StartCommand command_;
  bool has_begun_ = false;
  std::vector<std::string> capped_;  // what was asked for beyond the ceilings
};

}  // namespace baton::run
