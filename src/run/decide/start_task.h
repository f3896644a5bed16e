#pragma once
// StartingTask: what begins the run of a sub-agent's task. Its first commit has all that it goes by
// of the run it belongs to, so that it is independent from there on. Pure.

#include "run/decide/first_step.h"

namespace baton::run {

class StartingTask final : public Beginning {
 public:
  StartingTask(TaskCommand command, const Draw& draw);

 private:
  /// The task's declaration with the values of its item.
  struct Declared {
    json::Object context;
    json::Object inputs;
  };

  Known<void> begin(state::Answers& answers) override;
  void settle();
  Known<Declared> declared(state::Answers& answers) const;
  Known<void> take_over(const Declared& declared, state::Answers& answers);
  Error obstructed(const Obstacle& obstacle) const override;
  RunStarted started() const override;
  std::vector<std::pair<ObservationKey, std::string>> observed() const override {
    return command_.observed;
  }

  const TaskCommand command_;
};

}  // namespace baton::run
