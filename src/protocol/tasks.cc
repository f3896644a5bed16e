#include "protocol/tasks.h"

#include <algorithm>

namespace baton::protocol {
namespace {

constexpr std::string_view status_names[] = {"working", "input_required", "completed", "failed",
                                             "cancelled"};

}  // namespace

std::string_view name_of(McpTaskState status) {
  return status_names[static_cast<std::size_t>(status)];
}

std::optional<McpTaskState> task_status_from(std::string_view name) {
  const auto* const found = std::ranges::find(status_names, name);
  if (found == std::end(status_names)) return std::nullopt;
  return static_cast<McpTaskState>(found - std::begin(status_names));
}

bool take_answers(McpTask& task, const json::Object& responses) {
  if (task.status != McpTaskState::input_required) return false;
  for (const auto& [key, response] : responses) {
    const auto asked = task.requests.find(key);
    if (asked == task.requests.end() || !is_answer(response)) continue;
    task.responses.set(key, response);
    task.requests.erase(asked);
  }
  if (!task.requests.empty()) return false;
  task.status = McpTaskState::working;
  return true;
}

json::Object summary_of(const McpTask& task) {
  json::Object out{{"taskId", task.id}, {"status", name_of(task.status)}};
  if (!task.message.empty()) out.append_new("statusMessage", task.message);
  out.append_new("createdAt", to_rfc3339(task.created));
  out.append_new("lastUpdatedAt", to_rfc3339(task.updated));
  out.append_new("ttlMs", task.ttl_ms ? json::Value(*task.ttl_ms) : json::Value());
  if (task.poll_interval_ms > 0) out.append_new("pollIntervalMs", task.poll_interval_ms);
  return out;
}

json::Object to_json(const McpTask& task) {
  json::Object out = summary_of(task);
  if (task.status == McpTaskState::input_required) {
    out.append_new("inputRequests", to_json(task.requests));
  }
  if (task.status == McpTaskState::completed) out.append_new("result", task.result);
  if (task.status == McpTaskState::failed && task.error) {
    out.append_new("error", to_json(*task.error));
  }
  return out;
}

}  // namespace baton::protocol
