#pragma once
// Decider: what a command does to a run, as a value. It is asked for the next thing until it has
// decided; it says what it needs from outside, and a verb fetches it.
//
//   Decider decider = Decider::advance(...);
//   while (true) {
//     auto next = TRY(decider.next());
//     if (auto* decided = std::get_if<Decided>(&next)) { append(decided->commit); ... }
//     else if (auto* need = std::get_if<NeedAnswers>(&next))
//       decider.supply(run(need->evaluations));
//     else if (auto* need = std::get_if<NeedProbes>(&next)) decider.supply(look(need->looks));
//     else if (auto* need = std::get_if<NeedEffects>(&next)) decider.supply(find(need->step));
//     else decider.supply(draw());
//   }

#include <memory>
#include <variant>
#include <vector>

#include "run/decide/decision.h"

namespace baton::run {

class Decider {
 public:
  static Decider start(StartCommand command) { return Decider(std::move(command)); }
  static Decider advance(AdvanceCommand command) { return Decider(std::move(command)); }
  static Decider start_task(TaskCommand command) { return Decider(std::move(command)); }

  /// Bad input is an error and decides nothing. Decided is the last thing said.
  Result<std::variant<NeedDraw, NeedAnswers, NeedProbes, NeedEffects, Decided>> next();
  void supply(const FreshValues& draw);
  /// REQUIRES: one for each of the evaluations that were needed.
  void supply(std::vector<state::ScriptAnswer> answers) { answers_.supply(std::move(answers)); }
  /// REQUIRES: one for each of the looks that were needed.
  void supply(std::vector<ProbeResult> seen) { looks_.supply(std::move(seen)); }
  void supply(std::vector<EffectReceipt> elsewhere) { looks_.supply(std::move(elsewhere)); }

 private:
  using Command = std::variant<StartCommand, AdvanceCommand, TaskCommand>;
  explicit Decider(Command command) : command_(std::move(command)) {}

  Command command_;
  std::unique_ptr<Decision> work_;  // once drawn
  state::ScriptAnswers answers_;
  Probes looks_;
};

}  // namespace baton::run
