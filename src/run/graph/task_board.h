#pragma once
// TaskBoard: the status of the tasks of one node, folded from the log of its session. Leases are
// appended by each process that wants to work, at any head of the log; the order of the log
// decides which of them hold. So no more than `max_parallel` hold at any time, and every task is
// settled once, no matter what the processes do. A value; pure.

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "run/log/event.h"

namespace baton::run {

class TaskBoard {
 public:
  struct Lease {
    SessionId session;
    RunId child;
    WallMs until;
    bool operator==(const Lease&) const = default;
  };
  struct Task {
    std::int64_t attempt = 0;
    std::int64_t leases = 0;      // asked for in this attempt; names the next
    std::optional<Lease> lease;   // the latest that held in this attempt, live or not
    std::optional<Lease> before;  // that of the attempt before
    std::shared_ptr<const TaskSettled> settled;  // once it is final
    bool operator==(const Task& other) const;
  };

  /// REQUIRES: max_parallel > 0.
  TaskBoard(const NodeId& node, std::size_t tasks, std::int64_t max_parallel)
      : node_(node), max_parallel_(max_parallel), tasks_(tasks) {}

  /// Takes in one commit of the session; what is of other nodes does not count.
  void take(WallMs at, std::span<const Event> events);

  const std::vector<Task>& tasks() const { return tasks_; }
  std::int64_t max_parallel() const { return max_parallel_; }

  /// Whether a task has a live lease. Time never goes back behind the latest commit.
  bool is_live(std::size_t item, WallMs now) const;
  std::int64_t live(WallMs now) const;
  /// When the next lease ends, if one is live.
  std::optional<WallMs> next_end(WallMs now) const;
  /// Those that were leased in their attempt and are not settled.
  const std::set<std::size_t>& begun() const { return begun_; }

  bool is_all_settled() const { return order_.size() == tasks_.size(); }
  bool has_failed() const { return failed_ > 0; }
  std::int64_t failed() const { return failed_; }
  /// The settled ones, in the order of their settlement.
  const std::vector<std::size_t>& order() const { return order_; }

  bool operator==(const TaskBoard&) const = default;

 private:
  void take(const TaskLeased& lease);
  void take(const TaskSettled& settled);
  Task* task_of(const NodeId& node, std::string_view id, std::size_t& item);
  WallMs later(WallMs now) const { return now < clock_ ? clock_ : now; }

  NodeId node_;
  std::int64_t max_parallel_ = 0;
  std::vector<Task> tasks_;
  std::set<std::size_t> begun_;
  std::vector<std::size_t> order_;
  std::int64_t failed_ = 0;
  WallMs clock_;
};

/// Whether nothing is left to wait for.
bool is_joinable(const TaskBoard& board, const TaskPolicy& policy);

TasksOutcome outcome_of(const TaskBoard& board, const TaskPolicy& policy,
                        std::string_view step_key);

}  // namespace baton::run
