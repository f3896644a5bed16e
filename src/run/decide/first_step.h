#pragma once
// Beginning: what the first commits of all runs have in common, from the place where a run begins
// to the first step that an agent or a person has to do. Pure.

#include "run/decide/decision.h"
#include "run/walk/walk.h"

namespace baton::run {

class FirstStepDecision : public Decision {
 public:
  FirstStepDecision(const FirstStepDecision&) = delete;
  FirstStepDecision& operator=(const FirstStepDecision&) = delete;

  Known<Decided> go(state::ScriptAnswers& answers, Probes& looks) final;
  bool may_run() const final { return given_.may_run; }

 protected:
  /// What every beginning goes by. The workflow and its schemas must outlive it.
  struct Given {
    const workflow::Pinned* workflow;
    const Schemas* schemas;
    TokenSettings minting;
    bool may_run;
    std::string runner;
    Policy policy;
  };

  /// From what is asked for: every command to begin says these alike.
  FirstStepDecision(const auto& command, const FreshValues& draw)
      : given_{.workflow = command.workflow,
               .schemas = command.schemas,
               .minting = command.minting,
               .may_run = command.may_run,
               .runner = command.runner,
               .policy = command.policy},
        draw_(draw) {}

  const workflow::CompiledWorkflow& workflow() const { return given_.workflow->workflow; }
  /// That of the workflow as run_started has it, which leaves the first out.
  std::int64_t form_in_log() const { return given_.workflow->form > 1 ? given_.workflow->form : 0; }

  /// Sets the state, the facts and the walk.
  virtual Known<void> begin(state::ScriptAnswers& answers) = 0;
  /// What to say of a loop at the very beginning that lacks what it runs by.
  virtual Error obstructed(const MissingLoopInput& obstacle) const = 0;
  virtual RunStarted started() const = 0;
  /// What was observed around the run.
  virtual std::vector<std::pair<ObservationKey, std::string>> observed() const = 0;
  virtual std::vector<std::string> warnings() const { return {}; }

  const Given given_;
  const FreshValues draw_;
  NodeState state_;
  std::vector<Event> facts_;  // that begin to hold at the root, settings first
  std::optional<Walk> walk_;
  std::vector<std::string> late_warnings_;  // of loops that ended at their bounds, and of effects

 private:
  Known<void> walk(state::ScriptAnswers& answers);
  Known<void> begin_evidence(state::ScriptAnswers& answers, Probes& looks);
  Known<bool> waits_for_effect(Scripts& scripts, Probes& looks);
  Decided decided(Reply reply, json::Object shown);

  bool has_arrived_ = false;
  bool has_looked_ = false;
};

}  // namespace baton::run
