#pragma once
// Items that are handed to sub-agents, each with the same task.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/core/boxed.h"
#include "base/json/json.h"

namespace baton::workflow {

struct StepType;

enum class TaskStrategy : std::uint8_t { retry_failed, go_on, fail_all };

inline std::span<const std::string_view> names_of(TaskStrategy) {
  static constexpr std::string_view names[] = {"retry_failed", "continue", "fail_all"};
  return names;
}

/// What a failing sub-agent does.
struct TaskErrors {
  std::optional<TaskStrategy> strategy;
  std::optional<std::int64_t> max_retries;
  std::optional<bool> collect_errors;
  Boxed<std::string> error_state_path;
  bool operator==(const TaskErrors&) const = default;

  static void members(auto& io, auto& self) {
    io("strategy", self.strategy);
    io("max_retries", self.max_retries);
    io("collect_errors", self.collect_errors);
    io("error_state_path", self.error_state_path);
  }
};

struct ParallelForeach {
  Boxed<json::Value> items;       // {list}, {var} or {js}
  std::int64_t max_parallel = 5;  // when a file says nothing
  bool wait_for_all = true;
  Boxed<std::string> task;  // one of the workflow's; none: the steps are its own
  Boxed<TaskErrors> on_sub_agent_error;
  Boxed<std::string> sub_agent_prompt;
  bool operator==(const ParallelForeach&) const = default;

  static constexpr std::string_view blocks[] = {"steps"};
  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) {
    io("items", self.items);
    io("max_parallel", self.max_parallel);
    io("wait_for_all", self.wait_for_all);
    io("task", self.task);
    io("on_sub_agent_error", self.on_sub_agent_error);
    io("sub_agent_prompt", self.sub_agent_prompt);
  }
};

}  // namespace baton::workflow
