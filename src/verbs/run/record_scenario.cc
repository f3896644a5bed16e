#include "verbs/run/record_scenario.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "engine/tasks/find_tasks.h"
#include "run/checks/artifacts.h"
#include "run/steps/behaviour.h"
#include "verbs/run/read_state.h"

namespace baton::verbs {
namespace {

using workflow::ScenarioStep;

struct PathNode {
  run::NodeRow node;
  std::vector<run::Event> events;
};

/// The way down to a node, the root first.
Result<std::vector<PathNode>> path_to(const engine::LoadContext& loading, run::NodeRow node) {
  std::vector<PathNode> path;
  while (true) {
    if (path.size() == limits::recap_walk_nodes_max) {
      return fail(Code::LIMIT_EXCEEDED,
                  cat("the run has more than ", limits::recap_walk_nodes_max,
                      " points; a scenario of it would be too long"),
                  "record a shorter run");
    }
    const engine::CommitEvents events = TRY(load_events(loading, node.no.commit()));
    path.push_back({node, {events.begin(), events.end()}});
    if (!node.parent) break;
    node = TRY(load_parent(loading, node));
  }
  std::ranges::reverse(path);
  return path;
}

template <class Kind>
const Kind* find_event(const std::vector<run::Event>& events) {
  for (const run::Event& event : events) {
    if (const auto* found = std::get_if<Kind>(&event)) return found;
  }
  return nullptr;
}

std::vector<std::string> blockers_in(const run::AdvanceRecorded& record) {
  std::vector<std::string> out;
  const json::Value* blockers = record.reply.find("blockers");
  if (blockers == nullptr || !blockers->is_array()) return out;
  for (const json::Value& each : *blockers->if_array()) {
    const json::Value* code = each.find("code");
    if (code != nullptr && code->is_string()) out.push_back(*code->if_string());
  }
  return out;
}

class Recording {
 public:
  explicit Recording(const engine::ReadContext& reading) : reading_(reading) {}

  Result<RecordedScenario> run(const engine::RunPoint& point) {
    if (point.state->run_state == run::RunState::abandoned) {
      return fail(Code::INVALID_INPUT, "the run was ended by its agent; no scenario ends like that",
                  Move::list_runs);
    }
    const auto path = TRY(path_to(reading_, point.node));
    out_.file.workflow = point.workflow->workflow.id;
    out_.file.scenarios.emplace_back();
    workflow::Scenario& scenario = out_.file.scenarios.front();
    scenario.name = cat("as ", point.run.run.text(), " went");
    begin(scenario, path.front());
    TRY(steps(point.run, path, scenario.steps));
    scenario.status = name_of(point.answer.reply.status);
    out_.state = TRY(read_state(reading_, point.run)).values;
    return std::move(out_);
  }

 private:
  void leave_out(std::string what) {
    if (std::ranges::find(out_.left_out, what) == out_.left_out.end()) {
      out_.left_out.push_back(std::move(what));
    }
  }

  void begin(workflow::Scenario& scenario, const PathNode& root) {
    for (const run::Event& event : root.events) {
      if (const auto* context = std::get_if<run::ContextSet>(&event)) {
        for (const json::Member& each : context->delta) scenario.inputs.set(each.key, each.value);
      } else if (const auto* set = std::get_if<run::PreferencesChanged>(&event)) {
        if (set->effective.autonomy != run::Preferences{}.autonomy) {
          scenario.autonomy = name_of(set->effective.autonomy);
        }
        if (set->effective.risk_policy != run::Preferences{}.risk_policy) {
          scenario.risk_policy = name_of(set->effective.risk_policy);
        }
      }
    }
  }

  Result<void> steps(const run::RunRow& row, const std::vector<PathNode>& path,
                     std::vector<ScenarioStep>& out) {
    for (std::size_t at = 0; at < path.size(); ++at) {
      if (at > 0) one(path[at], out);
      // Where sub-agents work: each task that began is played before the run goes on.
      const auto state = TRY(load_state(reading_, path[at].node));
      const bool is_new = path[at].node.kind != run::NodeKind::checkpoint;
      if (is_new && state->items != nullptr && !state->open_steps.empty()) {
        TRY(tasks(row, path[at].node, out));
      }
    }
    return {};
  }

  Result<void> tasks(const run::RunRow& row, const run::NodeRow& node,
                     std::vector<ScenarioStep>& out) {
    const engine::Tasks found = TRY(tasks_at(reading_, row, node));
    std::vector<RunId> children;
    {
      const auto held = TRY(read_task_log(reading_, found));
      const run::TaskBoard& board = held->tasks;
      for (const std::size_t item : board.order()) {
        if (board.tasks()[item].attempt > 0) leave_out("a task was tried more than once");
        const auto& lease = board.tasks()[item].lease;
        if (lease) children.push_back(lease->child);
      }
      if (!board.is_all_settled()) leave_out("tasks were left open");
    }
    for (const RunId& child : children) {
      const auto of_child = TRY(reading_.store.run(child));
      if (!of_child) continue;
      TRY(steps(*of_child, TRY(path_to(reading_, TRY(load_node(reading_, of_child->tip)))), out));
    }
    return {};
  }

  /// The attempt that made a node.
  void one(const PathNode& at, std::vector<ScenarioStep>& out) {
    const auto* record = find_event<run::AdvanceRecorded>(at.events);
    const auto* ended = find_event<run::RunStateChanged>(at.events);
    if (ended != nullptr && ended->to == run::RunState::running) {
      leave_out("the run failed and was opened again");
    }
    if (record == nullptr) return;
    if (record->attempt.kind == run::AttemptKind::checkpoint) {
      checkpoint(at);
      return;
    }
    if (const auto* ran = find_event<run::ProcessFinished>(at.events)) {
      command(*record, *ran, out);
      return;
    }
    if (record->input == Sha256{}) return;  // the server's own
    ScenarioStep step;
    step.step = record->step;
    answer(at, step);
    const std::vector<std::string> blockers = blockers_in(*record);
    const bool is_blocked = at.node.kind == run::NodeKind::blocked_attempt;
    const bool is_gate = std::ranges::all_of(blockers, [](const std::string& code) {
      return code == name_of(run::BlockerCode::GATE_WAITING);
    });
    // The user of a scenario agrees at once: what waited comes again and passes.
    if (is_blocked && is_gate) return;
    step.blocked = blockers;
    out.push_back(std::move(step));
  }

  void checkpoint(const PathNode& at) {
    if (find_event<run::StateUpdated>(at.events) != nullptr) {
      leave_out("the state was changed between steps");
    }
    if (find_event<run::PreferencesChanged>(at.events) != nullptr ||
        find_event<run::ContextSet>(at.events) != nullptr) {
      leave_out("settings were changed between steps");
    }
  }

  void answer(const PathNode& at, ScenarioStep& step) {
    for (const run::Event& event : at.events) {
      if (const auto* output = std::get_if<run::NodeOutputAppended>(&event)) {
        if (const auto* notes = std::get_if<run::Notes>(&output->payload)) {
          step.answer.notes = notes->markdown;
        } else {
          step.answer.artifacts.push_back(std::get<run::Artifact>(output->payload).content);
        }
      } else if (const auto* context = std::get_if<run::ContextSet>(&event)) {
        for (const json::Member& each : context->delta) {
          step.answer.context.set(each.key, each.value);
        }
      } else if (const auto* failed = std::get_if<run::StepFailed>(&event)) {
        if (failed->error.type == "agent") step.fails = failed->error.message;
      } else if (std::holds_alternative<run::PreferencesChanged>(event)) {
        leave_out("preferences were changed during the run");
      }
    }
    const bool says_it = std::ranges::any_of(step.answer.artifacts, [](const json::Value& each) {
      const json::Value* kind = each.find("kind");
      return kind != nullptr && *kind == json::Value(run::failure_kind);
    });
    if (says_it) step.fails.reset();
  }

  void command(const run::AdvanceRecorded& record, const run::ProcessFinished& ran,
               std::vector<ScenarioStep>& out) {
    ScenarioStep step;
    step.step = record.step;
    workflow::ScenarioCommand end;
    end.exit = ran.code;
    end.output = ran.output;
    end.errors = ran.errors;
    end.times_out = ran.end == run::ProcessEnd::timed_out;
    step.command = std::move(end);
    const bool is_told =
        ran.end == run::ProcessEnd::exited || ran.end == run::ProcessEnd::timed_out;
    if (!is_told)
      leave_out(cat("the command of \"", record.step, "\" ended as ", name_of(ran.end)));
    if (ran.output_cut || ran.output_bytes > std::ssize(ran.output)) {
      leave_out(cat("the log has only the beginning of the output of \"", record.step, '"'));
    }
    if (!ran.problem.empty()) leave_out(cat("\"", record.step, "\" was handed to the agent"));
    out.push_back(std::move(step));
  }

  const engine::ReadContext& reading_;
  RecordedScenario out_;
};

}  // namespace

Result<RecordedScenario> record_scenario(const engine::ReadContext& reading,
                                         const engine::RunPoint& point) {
  return Recording(reading).run(point);
}

}  // namespace baton::verbs
