#include "run/graph/task_board.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

constexpr std::size_t note_result_bytes = 200;
constexpr std::size_t named_tasks_max = 5;

/// A path that cannot be read was refused by the compiler.
std::optional<state::Path> errors_path(const TaskPolicy& policy) {
  if (!policy.errors_path) return std::nullopt;
  auto path = state::parse_path(*policy.errors_path);
  return path ? std::optional(*std::move(path)) : std::nullopt;
}

std::string result_text(const json::Value& result) {
  if (result.is_null()) return {};
  const std::string* text = result.if_string();
  return cat(": ", utf8::truncate(utf8::as_line(text != nullptr ? *text : json::print(result)),
                                  note_result_bytes));
}

/// One line for each task, as far as notes are shown.
std::string notes_of(const TaskBoard& board, std::string_view step_key) {
  std::string out =
      cat("Tasks of ", step_key, ": ", board.tasks().size(), ", failed ", board.failed(), ".\n");
  for (std::size_t item = 0; item < board.tasks().size(); ++item) {
    const auto& settled = board.tasks()[item].settled;
    std::string line = cat("- ", task_id(step_key, item), ' ');
    if (settled == nullptr) {
      line += "not done";
    } else if (settled->status == TaskStatus::failed) {
      line += cat("failed (", settled->type, "): ", utf8::as_line(settled->message));
    } else {
      line += cat("completed", result_text(settled->result));
    }
    if (out.size() + line.size() + 1 > limits::notes_shown_bytes_max) {
      return out + cat("- and ", board.tasks().size() - item, " more\n");
    }
    out += line + '\n';
  }
  return out;
}

std::string failure_text(const TaskBoard& board, std::string_view step_key) {
  std::string named;
  std::size_t count = 0;
  for (const std::size_t item : board.order()) {
    const TaskSettled& settled = *board.tasks()[item].settled;
    if (settled.status != TaskStatus::failed) continue;
    if (++count > named_tasks_max) break;
    named += cat(named.empty() ? "" : "; ", task_id(step_key, item), " (", settled.type,
                 "): ", settled.message);
  }
  return cat(board.failed(), " of ", board.tasks().size(), " tasks failed: ", named,
             count > named_tasks_max ? "; ..." : "");
}

}  // namespace

bool TaskBoard::Task::operator==(const Task& other) const {
  const bool same = settled == other.settled ||
                    (settled != nullptr && other.settled != nullptr && *settled == *other.settled);
  return same && attempt == other.attempt && leases == other.leases && lease == other.lease &&
         before == other.before;
}

void TaskBoard::take(WallMs at, std::span<const Event> events) {
  clock_ = later(at);
  for (const Event& event : events) {
    if (const auto* lease = std::get_if<TaskLeased>(&event)) take(*lease);
    if (const auto* settled = std::get_if<TaskSettled>(&event)) take(*settled);
  }
}

TaskBoard::Task* TaskBoard::task_of(const NodeId& node, std::string_view id, std::size_t& item) {
  const auto name = read_task_id(id);
  if (node != node_ || !name || name->item >= tasks_.size()) return nullptr;
  item = name->item;
  return &tasks_[item];
}

void TaskBoard::take(const TaskLeased& lease) {
  std::size_t item = 0;
  Task* task = task_of(lease.node, lease.task, item);
  if (task == nullptr || task->settled != nullptr || lease.attempt != task->attempt) return;
  ++task->leases;
  if (!is_live(item, clock_) && live(clock_) >= max_parallel_) return;
  const WallMs until =
      task->lease && task->lease->until > lease.until ? task->lease->until : lease.until;
  task->lease = {lease.session, lease.child, until};
  begun_.insert(item);
}

void TaskBoard::take(const TaskSettled& settled) {
  std::size_t item = 0;
  Task* task = task_of(settled.node, settled.task, item);
  if (task == nullptr || task->settled != nullptr || settled.attempt != task->attempt) return;
  begun_.erase(item);
  if (!settled.is_final) {
    *task = {.attempt = task->attempt + 1,
             .leases = 0,
             .lease = {},
             .before = task->lease,
             .settled = {}};
    return;
  }
  task->settled = std::make_shared<const TaskSettled>(settled);
  order_.push_back(item);
  if (settled.status == TaskStatus::failed) ++failed_;
}

bool TaskBoard::is_live(std::size_t item, WallMs now) const {
  const Task& task = tasks_[item];
  return task.settled == nullptr && task.lease && task.lease->until > later(now);
}

std::int64_t TaskBoard::live(WallMs now) const {
  return std::ranges::count_if(begun_, [&](std::size_t item) { return is_live(item, now); });
}

std::optional<WallMs> TaskBoard::next_end(WallMs now) const {
  std::optional<WallMs> out;
  for (const std::size_t item : begun_) {
    if (!is_live(item, now)) continue;
    const WallMs until = tasks_[item].lease->until;
    if (!out || until < *out) out = until;
  }
  return out;
}

bool is_joinable(const TaskBoard& board, const TaskPolicy& policy) {
  if (board.is_all_settled()) return true;
  return policy.strategy == workflow::TaskStrategy::fail_all && board.has_failed();
}

TasksOutcome outcome_of(const TaskBoard& board, const TaskPolicy& policy,
                        std::string_view step_key) {
  TasksOutcome out;
  for (const TaskBoard::Task& task : board.tasks()) {
    const bool is_done = task.settled != nullptr && task.settled->status == TaskStatus::completed;
    out.results.push_back(is_done ? task.settled->result : json::Value());
  }
  const auto errors = errors_path(policy);
  std::vector<state::Write> told;
  for (const std::size_t item : board.order()) {
    const TaskSettled& settled = *board.tasks()[item].settled;
    out.writes.insert(out.writes.end(), settled.writes.begin(), settled.writes.end());
    if (!errors || settled.status != TaskStatus::failed) continue;
    told.push_back({*errors, state::Operation::append,
                    json::Object{{"task_id", task_id(step_key, item)},
                                 {"index", static_cast<std::int64_t>(item)},
                                 {"type", settled.type},
                                 {"message", settled.message},
                                 {"attempts", settled.attempt + 1}}});
  }
  std::ranges::move(told, std::back_inserter(out.writes));
  if (board.has_failed() && policy.strategy != workflow::TaskStrategy::go_on) {
    out.failure = failure_text(board, step_key);
  }
  out.notes = notes_of(board, step_key);
  return out;
}

}  // namespace baton::run
