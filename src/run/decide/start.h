#pragma once
// Starting: what begins a run, from its inputs to its first step. Pure.

#include "run/decide/first_step.h"

namespace baton::run {

class Starting final : public Beginning {
 public:
  Starting(StartCommand command, const Draw& draw);

 private:
  Known<void> begin(state::Answers& answers) override;
  Known<void> settle(state::Answers& answers);
  Error obstructed(const Obstacle& obstacle) const override;
  RunStarted started() const override;
  std::vector<std::pair<ObservationKey, std::string>> observed() const override;
  std::vector<std::string> warnings() const override;

  const StartCommand command_;
  bool has_begun_ = false;
};

}  // namespace baton::run
