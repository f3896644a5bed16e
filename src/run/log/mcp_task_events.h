#pragma once
// The event of an MCP task: a tool call that runs on after its answer. A value.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/ids.h"
#include "base/json/json.h"
#include "run/log/types.h"

namespace baton::run {

/// The call that an MCP task carries out.
struct McpTaskCall {
  std::string principal;
  std::string tool;
  json::Object arguments;
  json::Object client_capabilities;
  std::optional<std::int64_t> ttl_ms;  // after the task's first commit
  std::int64_t poll_interval_ms = 0;
  bool operator==(const McpTaskCall&) const = default;

  static constexpr std::string_view name = "call";
  static void describe(auto& e, auto& v) {
    v("principal", e.principal);
    v("tool", e.tool);
    v("arguments", e.arguments);
    v("clientCapabilities", e.client_capabilities);
    v("pollIntervalMs", e.poll_interval_ms);
    v.unless_empty("ttlMs", e.ttl_ms);
  }
};

/// The state of an MCP task from here on. A task has a session of its own, without a run: its log
/// is the task's life, and a run's log is not moved by it.
struct McpTaskChanged {
  TaskId task;
  std::optional<McpTaskCall> call;  // in the task's first event only
  McpTaskStatus status = McpTaskStatus::working;
  std::string worker;      // the process that runs a working one; empty: not known
  std::string message;     // for people; may be empty
  json::Value state;       // what the call keeps while it waits for answers; null: nothing
  json::Object requests;   // what is asked and not answered yet, by key
  json::Object responses;  // every answer so far, by key
  json::Object result;     // of a completed one
  json::Object error;      // of a failed one
  bool operator==(const McpTaskChanged&) const = default;

  static constexpr std::string_view name = "mcp_task_changed";
  static void describe(auto& e, auto& v) {
    v("task", e.task);
    v("status", e.status);
    v.unless_empty("call", e.call);
    v.unless_empty("worker", e.worker);
    v.unless_empty("message", e.message);
    v.unless_empty("state", e.state);
    v.unless_empty("requests", e.requests);
    v.unless_empty("responses", e.responses);
    v.unless_empty("result", e.result);
    v.unless_empty("error", e.error);
  }
};

}  // namespace baton::run
