#pragma once
// Advancing: what an attempt at a step, or a checkpoint, makes of the node it was made at. Pure.

#include "run/decide/decision.h"
#include "run/decide/gates.h"
#include "run/decide/judge.h"
#include "run/decide/step_failure.h"
#include "run/effects/place_effect.h"
#include "run/walk/walk.h"

namespace baton::run {

class AdvanceDecision final : public Decision {
 public:
  AdvanceDecision(AdvanceCommand command, const FreshValues& draw)
      : command_(std::move(command)), draw_(draw) {}
  AdvanceDecision(const AdvanceDecision&) = delete;
  AdvanceDecision& operator=(const AdvanceDecision&) = delete;

  Known<Decided> go(state::ScriptAnswers& answers, Probes& looks) override;
  bool may_run() const override { return command_.may_run; }
  /// A command that has ended cannot be run again to please the run: where its result cannot be
  /// used the step fails, and where even that cannot be recorded the step becomes the agent's. So
  /// it does, with its result kept, where only the way on from it cannot be told.
  /// What tasks wrote, each for itself, may not go together; then their step fails.
  std::unique_ptr<Decision> after(const Error& error) const override;

 private:
  /// What the attempt makes of the state it was made at.
  struct Outcome {
    NodeState state;
    std::vector<Event> facts;  // that begin to hold at the new node, settings first
    Judgement judgement;
    Verdict verdict;
    std::optional<FailureOutcome> failing = {};  // when the step could not be done
    // The attempt is at a gate that opened before the step began, and nothing of it was judged.
    bool is_at_gate = false;
    bool begins = false;                   // and a person let the step begin
    std::vector<std::string> alerts = {};  // about what was asked for and is not had
    // The server's command is done and its result stays in the state, though the way on from it
    // cannot be told.
    bool keeps_result = false;
  };
  enum class Phase : std::uint8_t {
    settling,
    updating,
    proving,
    asking,
    walking,
    arriving,
    replying
  };

  Known<Outcome> settle(Scripts& scripts) const;
  Result<std::optional<Finding>> settings(Outcome& outcome) const;
  Result<PreferencesDelta> check_raise(Outcome& outcome) const;
  Result<void> pass_first_gate(Outcome& outcome, const workflow::Step& step) const;
  std::vector<GateWord> came_with() const;
  bool goes_past_a_person(const Judgement& judged, const workflow::Step& step,
                          const StepFailure& failure) const;
  Known<bool> may_fail(Outcome& outcome, const workflow::Step& step, Scripts& scripts) const;
  Result<void> end(Outcome& outcome) const;
  void fail_step(Outcome& outcome, const workflow::Step& step, const StepFailure& failure) const;
  Result<void> note_reported(Outcome& outcome) const;
  Result<void> take_command(Outcome& outcome, const workflow::Step& step) const;

  Known<void> take_phase(state::ScriptAnswers& answers, Probes& looks);
  Known<void> update(state::ScriptAnswers& answers);
  Known<std::vector<StateUpdated>> updated(const UpdateContext& updating) const;
  Known<FailureWrites> writes(const workflow::Step& step, const UpdateContext& updating) const;
  std::vector<state::Write> notes() const;
  void take_back_writes();

  Known<void> check_step_evidence(state::ScriptAnswers& answers, Probes& looks);
  Known<void> refuse_unproven(std::vector<Finding> missing, Scripts& scripts);
  bool waive(const std::vector<Finding>& missing);
  Known<void> begin_evidence(state::ScriptAnswers& answers, Probes& looks);
  Known<void> ask_person(state::ScriptAnswers& answers);

  WeighMode weighing() const {
    return command_.is_simulated ? WeighMode::simulated : WeighMode::real;
  }
  Result<void> start_walk();
  Known<void> walk(state::ScriptAnswers& answers);
  Result<void> arrive(Walked walked);
  Result<void> handle_missing(MissingLoopInput obstacle);
  Result<void> append_gaps();
  Known<void> intend(Scripts& scripts, Probes& looks);
  Result<void> count_use();
  bool brake();
  Known<void> place_effect(Scripts& scripts, Probes& looks);
  void report_effect();

  void deliver_guidance();
  Reply reply_of(Reply reply);
  Result<std::vector<Event>> events();
  Result<Decided> decided(Reply reply, json::Object shown);

  const AdvanceCommand command_;
  const FreshValues draw_;
  Phase phase_ = Phase::settling;
  Outcome outcome_;
  // As they were before the step wrote anything, for an attempt that does not pass after all.
  std::shared_ptr<const States> states_before_;
  std::size_t facts_before_ = 0;
  bool is_proved_ = false;  // or was found not to be
  bool is_waived_ = false;  // the step passes without its evidence
  bool is_write_rejected_ = false;
  Cursor from_;  // of the step, with what was said of its loops
  std::optional<Walk> walk_;
  std::optional<bool> brakes_;  // whether the run stops here; none: not counted yet
  // What becomes of the effect of the step that the run has reached; none: not looked at yet.
  std::optional<EffectPlan::Way> effect_way_;
  std::vector<std::string> given_up_;  // loops that lack something, and the run continues
};

}  // namespace baton::run
