#include "run/decide/settle_task.h"

#include "run/checks/artifacts.h"

namespace baton::run {
namespace {

/// What the attempt of one commit sent as its result.
std::optional<json::Value> result_in(const std::vector<Event>& events) {
  json::Array artifacts;
  std::optional<json::Value> notes;
  for (const Event& event : events) {
    const auto* output = std::get_if<NodeOutputAppended>(&event);
    if (output == nullptr) continue;
    if (const auto* text = std::get_if<Notes>(&output->payload)) {
      notes = text->markdown;
    } else {
      artifacts.push_back(std::get<Artifact>(output->payload).content);
    }
  }
  if (artifacts.empty()) return notes;
  Signals signals = read_artifacts(artifacts);
  return signals.result ? std::move(signals.result) : std::move(notes);
}

/// What the task's own frame computed; null when it has none or nothing.
json::Value computed_by(const workflow::CompiledWorkflow& workflow, const workflow::Step& step,
                        const NodeState& end) {
  if (!is_isolated(workflow, step) || end.states == nullptr) return {};
  const auto name = read_task_id(end.task->task);
  const auto frame = name ? end.states->find(name->step_key) : end.states->end();
  if (frame == end.states->end() || frame->second.computed.size() == 0) return {};
  return frame->second.computed.to_json();
}

}  // namespace

TaskSettled failed_task(const TaskRef& task, bool is_final, std::string type, std::string message) {
  TaskSettled out{.run = task.run, .node = task.node, .task = task.task, .attempt = task.attempt};
  out.is_final = is_final;
  out.status = TaskStatus::failed;
  out.type = std::move(type);
  out.message = std::move(message);
  return out;
}

bool is_final_failure(const workflow::Step& step, std::int64_t attempt) {
  return attempt >= task_policy(step).max_retries;
}

TaskSettled settled_by(const workflow::CompiledWorkflow& workflow, const workflow::Step& step,
                       const NodeState& end, std::span<const std::vector<Event>> path) {
  const TaskRef& task = *end.task;
  TaskSettled out{.run = task.run, .node = task.node, .task = task.task, .attempt = task.attempt};
  std::optional<json::Value> result;
  for (const std::vector<Event>& events : path) {
    if (auto found = result_in(events)) result = std::move(found);
    for (const Event& event : events) {
      if (const auto* update = std::get_if<StateUpdated>(&event)) {
        out.writes.insert(out.writes.end(), update->writes.begin(), update->writes.end());
      } else if (const auto* ended = std::get_if<RunStateChanged>(&event)) {
        out.message = ended->reason;
      } else if (const auto* failed = std::get_if<StepFailed>(&event)) {
        out.type = failed->error.type;
      }
    }
  }
  if (end.run_state == RunState::running) {
    out.message.clear();
    out.type.clear();
    out.result = result ? *std::move(result) : computed_by(workflow, step, end);
    return out;
  }
  out.status = TaskStatus::failed;
  out.is_final = is_final_failure(step, task.attempt);
  if (end.run_state == RunState::abandoned) out.type = "cancelled";
  if (out.type.empty()) out.type = "agent";
  if (out.message.empty()) out.message = "the sub-agent gave no reason";
  return out;
}

}  // namespace baton::run
