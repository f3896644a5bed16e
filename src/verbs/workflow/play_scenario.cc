#include "verbs/workflow/play_scenario.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "engine/advance.h"
#include "engine/load/find_open_step.h"
#include "run/checks/artifacts.h"
#include "run/decide/gates.h"
#include "run/steps/behaviour.h"
#include "verbs/run/lease_task.h"
#include "verbs/run/read_state.h"
#include "verbs/run/start_run.h"

namespace baton::verbs {
namespace {

using workflow::Scenario;
using workflow::ScenarioStep;
using workflow::SourcePlace;

constexpr std::size_t prompt_shown_bytes = 1'000;

/// A runner that runs nothing: each command ends as the scenario says, once that is known.
class ScenarioProcesses final : public ports::ProcessRunner {
 public:
  std::unique_ptr<ports::RunningProcess> start(ports::Process) override {
    return std::make_unique<Running>(*this);
  }
  std::string identity() override { return "scenario"; }
  std::optional<bool> is_alive(std::string_view identity) override {
    return identity == "scenario";
  }

  /// How the one that runs ends.
  void end_with(const workflow::ScenarioCommand& command) {
    result_ = ports::ProcessResult{
        command.times_out ? ports::ProcessEnd::timed_out : ports::ProcessEnd::exited,
        command.times_out ? 0 : static_cast<int>(command.exit),
        command.output,
        command.errors,
        false,
        false};
  }

 private:
  class Running final : public ports::RunningProcess {
   public:
    explicit Running(ScenarioProcesses& all) : all_(all) {}
    std::optional<ports::ProcessResult> wait(std::int64_t) override {
      if (!result_) result_ = std::exchange(all_.result_, std::nullopt);
      return result_;
    }
    void stop() override {}

   private:
    ScenarioProcesses& all_;
    std::optional<ports::ProcessResult> result_;
  };

  std::optional<ports::ProcessResult> result_;  // not yet taken by one that runs
};

class EveryWorkflow final : public ports::Trust {
 public:
  Result<ports::TrustVerdict> judge(const Sha256&, const std::string&) override {
    return ports::TrustVerdict{true};
  }
  Result<ports::TrustVerdict> judge(const Sha256&, const std::string&,
                                    const ports::NamedFiles&) override {
    return ports::TrustVerdict{true};
  }
};

/// One scenario as it is played. The first thing that comes otherwise ends it.
class Play {
 public:
  Play(engine::Engine& engine, const std::string& workflow, const Scenario& scenario)
      : engine_(engine), workflow_(workflow), scenario_(scenario) {
    // A scenario runs no command, even if this engine could.
    const bool has_commands = std::ranges::any_of(
        scenario.steps, [](const ScenarioStep& step) { return step.command.has_value(); });
    engine_.processes = has_commands ? &processes_ : nullptr;
    engine_.trust = has_commands ? &trust_ : nullptr;
  }

  Result<PlayedScenario> run() {
    if (!start() || !scenario_.error.empty()) return std::move(played_);
    for (const ScenarioStep& step : scenario_.steps) {
      if (!attempt(step)) return std::move(played_);
    }
    TRY(check_end());
    return std::move(played_);
  }

 private:
  bool differs(const SourcePlace& at, std::string problem) {
    played_ = {std::move(problem), at, {}};
    return false;
  }

  /// False when the run did not begin or end as it must.
  bool start() {
    StartRequest request{.workflow_id = workflow_,
                         .goal = scenario_.name,
                         .context = scenario_.inputs,
                         .preferences = {},
                         .workspace_path = rehearsal_workspace};
    request.preferences.autonomy = run::from_name<run::Autonomy>(scenario_.autonomy);
    request.preferences.risk_policy = run::from_name<run::RiskPolicy>(scenario_.risk_policy);
    request.wait = no_wait_;
    auto started = start_run(engine_, {}, request);
    if (!is_as_expected(started, scenario_.error, scenario_.at, "the start")) return false;
    if (started) reply_ = *std::move(started);
    return true;
  }

  /// Whether a call was refused with the code it must be, if any.
  bool is_as_expected(const Result<engine::NodeAnswer>& reply, const std::string& code,
                      const SourcePlace& at, std::string_view what) {
    const std::string found(reply ? "" : name_of(reply.error().code));
    if (found == code) return true;
    if (found.empty()) {
      return differs(at, cat(what, " must be refused with ", code, ", but it was not"));
    }
    return differs(
        at,
        cat(what, " was refused with ", found,
            code.empty() ? std::string() : cat(" instead of ", code), ": ", reply.error().message,
            reply.error().next.empty() ? "" : cat("\nhint: ", reply.error().next.text())));
  }

  /// What was done so far, the step that must come and the one that does.
  std::string steps_diff(std::string_view expected, std::string_view found) const {
    std::string out;
    for (const std::string& each : done_) out += cat("\n    ", each);
    if (!expected.empty()) out += cat("\n  - ", expected);
    if (!found.empty()) out += cat("\n  + ", found);
    return out;
  }

  /// The task of the open step that a step belongs to; nothing when it belongs to none.
  std::optional<std::string> task_of(const ScenarioStep& step) const {
    const auto& pending = reply_.reply.pending;
    if (!pending || !run::behaviour_of(pending->kind).is_for_sub_agents) return std::nullopt;
    // `r@0::work` hands out `r@0::work.item2`, whose steps are `r@0/work@2::...`.
    const std::string_view key = pending->step_id;
    const std::size_t colons = key.rfind("::");
    const std::string around = colons == key.npos
                                   ? cat(key, '@')
                                   : cat(key.substr(0, colons), '/', key.substr(colons + 2), '@');
    if (!step.step.starts_with(around)) return std::nullopt;
    const std::string_view rest = std::string_view(step.step).substr(around.size());
    const auto item = parse_int(rest.substr(0, rest.find_first_of(":/")));
    if (!item || *item < 0) return std::nullopt;
    return run::task_id(pending->step_id, static_cast<std::size_t>(*item));
  }

  /// Plays a step of a task as its sub-agent, then returns to the run.
  bool attempt_in_task(const ScenarioStep& step, const std::string& task) {
    const engine::NodeAnswer before = std::move(reply_);
    auto begun = begin_task(engine_, {}, before.reply.run.text(), task, no_wait_);
    if (!is_as_expected(begun, "", step.at, cat("the task \"", task, '"'))) return false;
    reply_ = *std::move(begun);
    const bool is_met = attempt(step);
    auto after = find_open_step(engine_.reading(), {}, before.reply.run.text());
    if (!after) return differs(step.at, after.error().message);
    reply_ = std::move(after->answer);
    return is_met;
  }

  bool attempt(const ScenarioStep& step) {
    if (const auto task = task_of(step)) return attempt_in_task(step, *task);
    if (!pass_first_gate(step)) return false;
    const auto& pending = reply_.reply.pending;
    if (!pending || pending->step_id != step.step) {
      const std::string found = pending ? pending->step_id : std::string();
      return differs(step.at, cat("the step \"", step.step, "\" must be open, but ",
                                  found.empty() ? cat("the run is ", name_of(reply_.reply.status))
                                                : cat("the open step is \"", found, '"'),
                                  steps_diff(step.step, found)));
    }
    for (const std::string& text : step.shows) {
      if (pending->prompt.contains(text)) continue;
      return differs(step.at, cat("the prompt of \"", step.step, "\" does not show \"", text,
                                  "\":\n", utf8::truncate(pending->prompt, prompt_shown_bytes)));
    }
    const bool is_servers = run::behaviour_of(pending->kind).is_for_server;
    if (is_servers != step.command.has_value()) {
      return differs(step.at, cat("the step \"", step.step, "\" is ",
                                  is_servers ? "run by the server: say how its `command` ends"
                                             : "not run by the server: it has no `command`"));
    }
    if (step.command) processes_.end_with(*step.command);
    auto next = advance(engine_, {}, engine::place_of(*reply_.reply.ack, reply_.node),
                        submission_of(step), no_wait_);
    const std::string what = cat("the answer to \"", step.step, '"');
    if (!is_as_expected(next, step.error, step.at, what)) return false;
    if (!next) return true;
    if (!meets_blockers(step, next->reply)) return false;
    done_.push_back(step.blocked.empty() ? step.step : cat(step.step, " (blocked)"));
    reply_ = *std::move(next);
    return true;
  }

  /// A person lets the open step begin, if it waits for one.
  bool pass_first_gate(const ScenarioStep& step) {
    const run::Reply& reply = reply_.reply;
    if (!reply.gate || !run::opens_on_arrival(reply.gate->kind) || !agrees(step)) return true;
    auto next = advance(engine_, {}, engine::place_of(*reply.ack, reply_.node),
                        {.input = {}, .source = person_}, no_wait_);
    const std::string what = cat("the gate of \"", step.step, '"');
    if (!is_as_expected(next, "", step.at, what)) return false;
    reply_ = *std::move(next);
    return true;
  }

  /// The user of a scenario agrees at every gate, unless the scenario says that the run waits.
  static bool agrees(const ScenarioStep& step) {
    return std::ranges::count(step.blocked, name_of(run::BlockerCode::GATE_WAITING)) == 0;
  }

  engine::Submission submission_of(const ScenarioStep& step) {
    engine::Submission out;
    if (agrees(step)) out.source = person_;
    run::StepInput& input = out.input;
    input.notes = step.answer.notes;
    input.artifacts = step.answer.artifacts;
    if (step.answer.result) {
      input.artifacts.push_back(
          json::Object{{"kind", run::result_kind}, {"value", *step.answer.result}});
    }
    input.context = step.answer.context;
    if (step.fails) {
      if (!input.notes) input.notes = step.fails;
      input.failure = {"agent", *step.fails};
    }
    return out;
  }

  bool meets_blockers(const ScenarioStep& step, const run::Reply& reply) {
    std::vector<std::string> found;
    std::string told;
    for (const run::Blocker& each : reply.blockers) {
      found.emplace_back(name_of(each.code));
      told += cat("\n  ", name_of(each.code), ": ", each.message);
    }
    if (found == step.blocked) return true;
    if (found.empty()) {
      return differs(step.at, cat("the answer to \"", step.step,
                                  "\" must be blocked, but it passed", expected_codes(step)));
    }
    return differs(step.at, cat("the answer to \"", step.step, "\" is blocked:", told,
                                step.blocked.empty() ? std::string() : expected_codes(step)));
  }

  static std::string expected_codes(const ScenarioStep& step) {
    std::string out = "\nexpected:";
    for (const std::string& code : step.blocked) out += cat("\n  ", code);
    return out;
  }

  Result<void> check_end() {
    const std::string_view status = name_of(reply_.reply.status);
    if (status != scenario_.status) {
      const std::string found =
          reply_.reply.pending ? reply_.reply.pending->step_id : std::string();
      differs(scenario_.at,
              cat("at the end the run must be ", scenario_.status, ", but it is ", status,
                  found.empty() ? "" : cat(" at \"", found, '"'), steps_diff("", found)));
      return {};
    }
    const engine::ReadContext reading = engine_.reading();
    const run::RunRow row = TRY(find_own_run(reading, {}, reply_.reply.run.text()));
    const StateView view = TRY(read_state(reading, row));
    std::string problem;
    for (const json::Member& wanted : scenario_.state) {
      const json::Value* found = view.values.find(wanted.key);
      if (found != nullptr && *found == wanted.value) continue;
      problem += cat("\n  - ", wanted.key, ": ", json::print(wanted.value), "\n  + ", wanted.key,
                     ": ", found == nullptr ? "not set" : json::print(*found));
    }
    if (!problem.empty()) differs(scenario_.at, cat("the state at the end differs:", problem));
    played_.state = view.values;
    return {};
  }

  const engine::WaitPolicy no_wait_{.ms_max = 0};
  const run::ChangeSource person_{.how = run::ChangedHow::terminal};
  engine::Engine engine_;
  ScenarioProcesses processes_;
  EveryWorkflow trust_;
  const std::string& workflow_;
  const Scenario& scenario_;
  engine::NodeAnswer reply_;
  std::vector<std::string> done_;
  PlayedScenario played_;
};

}  // namespace

Result<PlayedScenario> play_scenario(engine::Engine& engine, const std::string& workflow,
                                     const Scenario& scenario) {
  return Play(engine, workflow, scenario).run();
}

}  // namespace baton::verbs
