#pragma once
// Tasks: what sub-agents do for one parallel_foreach step. Each is a run of its own in a session of
// its own; the log of the run it belongs to says who works at it and how it ended. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/fields.h"
#include "run/log/types.h"
#include "state/write.h"
#include "workflow/compiled.h"

namespace baton::run {

/// Which task a run carries out.
struct TaskRef {
  RunId run;         // whose step it is
  NodeId node;       // at which that step became pending
  std::string task;  // `<key of the step>.item<number from 0>`
  std::int64_t attempt = 0;
  bool operator==(const TaskRef&) const = default;

  static constexpr std::string_view name = "task of a run";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("task", e.task);
    v.counted("attempt", e.attempt);
  }
};

std::string task_id(std::string_view step_key, std::size_t item);

/// What an item is called by its text: the `id` that it has, or `batch_<number from 0>`.
std::string batch_name(const json::Value& item, std::size_t index);
/// The item that is called so; nothing when none is.
std::optional<std::size_t> item_called(const json::Array& items, std::string_view name);

/// The parts of a task id; nothing when the text is not one.
struct TaskName {
  std::string_view step_key;
  std::size_t item = 0;
};
std::optional<TaskName> read_task_id(std::string_view id);

/// The names of the session, run and first node that carry out one attempt at a task. They follow
/// from it, so that starting it twice starts the same one.
struct TaskIds {
  SessionId session;
  RunId run;
  NodeId node;
  bool operator==(const TaskIds&) const = default;
};
TaskIds ids_of(const NodeId& node, std::string_view task, std::int64_t attempt);

/// A sub-agent works at a task until then, unless the board was full or the task taken (TaskBoard).
/// A later one of the same attempt renews it.
struct TaskLeased {
  RunId run;
  NodeId node;
  std::string task;
  std::int64_t attempt = 0;
  SessionId session;  // that carries it out
  RunId child;
  WallMs until;
  bool operator==(const TaskLeased&) const = default;

  static constexpr std::string_view name = "task_leased";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("task", e.task);
    v.counted("attempt", e.attempt);
    v("session", e.session);
    v("child", e.child);
    v("until_ms", e.until);
  }
};

enum class TaskStatus : std::uint8_t { completed, failed };
template <>
inline constexpr Names<2> names_of<TaskStatus> = {"completed", "failed"};

/// How an attempt at a task ended. One that is not final is followed by another attempt.
struct TaskSettled {
  RunId run;
  NodeId node;
  std::string task;
  std::int64_t attempt = 0;
  bool is_final = true;
  TaskStatus status = TaskStatus::completed;
  json::Value result = {};                // of a completed one; null: it has none
  std::string type = {};                  // of a failed one: what failed
  std::string message = {};               // likewise
  std::vector<state::Write> writes = {};  // to the state of the run it belongs to, in order
  bool operator==(const TaskSettled&) const = default;

  static constexpr std::string_view name = "task_settled";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("task", e.task);
    v.counted("attempt", e.attempt);
    v("final", e.is_final);
    v("status", e.status);
    v.unless_empty("result", e.result);
    v.unless_empty("type", e.type);
    v.unless_empty("message", e.message);
    v.unless_empty("writes", e.writes);
  }
};

/// `[{path, operation, value}]`.
json::Array to_json(std::span<const state::Write> writes);
Result<std::vector<state::Write>> writes_from(const json::Array& list);

/// The results of settled tasks as a parallel_foreach hands them in.
struct TasksOutcome {
  json::Array results;                 // by item; null for those that have none
  std::vector<state::Write> writes;    // in the order of settlement, then the errors
  std::optional<std::string> failure;  // why the step fails; nothing: it does not
  std::string notes;                   // how each ended, for people and later steps
  bool operator==(const TasksOutcome&) const = default;
};

/// What a parallel_foreach says of its tasks.
struct TaskPolicy {
  std::int64_t max_parallel = 1;
  /// Without one, or with retry_failed after further attempts, the step fails once all are settled.
  /// go_on: failures are reported, and the run continues. fail_all: the first failure ends the
  /// step.
  std::optional<workflow::TaskStrategy> strategy;
  std::int64_t max_retries = 0;
  bool wait_for_all = true;                // else the agent may end the step before
  std::optional<std::int64_t> timeout_ms;  // since the step became pending
  std::optional<std::string> errors_path;  // where failures are appended
  std::optional<std::string> prompt;       // for sub-agents, instead of the standard one
  bool operator==(const TaskPolicy&) const = default;
};
TaskPolicy task_policy(const workflow::Step& step);

/// Whether a task of the step has a frame of its own.
bool is_isolated(const workflow::CompiledWorkflow& workflow, const workflow::Step& step);

}  // namespace baton::run
