#pragma once
// StartTaskDecision: what begins the run of a sub-agent's task. Its first commit has all that it
// goes by of the run it belongs to, so that it is independent from there on. Pure.

#include "run/decide/first_step.h"

namespace baton::run {

class StartTaskDecision final : public FirstStepDecision {
 public:
  StartTaskDecision(TaskCommand command, const FreshValues& draw);

 private:
  /// The task's declaration with the values of its item.
  struct Declared {
    json::Object context;
    json::Object inputs;
  };

  Known<void> begin(state::ScriptAnswers& answers) override;
  void settle();
  Known<Declared> declared(state::ScriptAnswers& answers) const;
  Known<void> take_over(const Declared& declared, state::ScriptAnswers& answers);
  Error obstructed(const MissingLoopInput& obstacle) const override;
  RunStarted started() const override;
  std::vector<std::pair<ObservationKey, std::string>> observed() const override {
    return command_.observed;
  }

  const TaskCommand command_;
};

}  // namespace baton::run
