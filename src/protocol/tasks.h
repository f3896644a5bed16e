#pragma once
// Tasks of the extension io.modelcontextprotocol/tasks: a tool call that runs on after its answer.
// Task is the value; TaskBook keeps it durably and is the only one to change its status.
//
// A book may be used by any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/json/json.h"
#include "protocol/call.h"

namespace baton::protocol {

inline constexpr std::string_view tasks_extension = "io.modelcontextprotocol/tasks";

enum class McpTaskState : std::uint8_t { working, input_required, completed, failed, cancelled };

std::string_view name_of(McpTaskState status);
std::optional<McpTaskState> task_status_from(std::string_view name);
constexpr bool is_terminal(McpTaskState status) { return status >= McpTaskState::completed; }

struct McpTask {
  std::string id = {};  // unguessable; given by the book
  std::string principal = {};

  // The call, so that any process can continue with it once its questions are answered.
  std::string tool = {};
  json::Object arguments = {};
  json::Object client_capabilities = {};

  McpTaskState status = McpTaskState::working;
  std::string message = {};  // for people; empty: none
  WallMs created = {};       // given by the book, as is `updated`
  WallMs updated = {};
  std::optional<std::int64_t> ttl_ms = {};  // after `created`; none: kept with its session
  std::int64_t poll_interval_ms = 0;

  json::Value state = {};              // of the NeedInput that waits
  InputRequests requests = {};         // with input_required: what is not answered yet
  json::Object responses = {};         // every answer so far, by key
  json::Object result = {};            // with completed: the tools/call result, shaped
  std::optional<RpcError> error = {};  // with failed
};

/// Takes the answers to what is still asked, ignores all others and what is malformed, and goes
/// back to `working` when nothing is left to ask. True when it did: the caller that stored it runs
/// with the call.
bool take_answers(McpTask& task, const json::Object& responses);

/// A task without what only its owner fetches: result, error, questions.
json::Object summary_of(const McpTask& task);

/// As tasks/get and notifications/tasks show it.
json::Object to_json(const McpTask& task);

class TaskBook {
 public:
  virtual ~TaskBook() = default;

  /// Stores a new task durably and returns it with its id and times.
  virtual Result<McpTask> create(McpTask draft) = 0;

  /// NOT_FOUND: no such task, another principal's, or one whose ttl is over.
  virtual Result<McpTask> get(std::string_view id, std::string_view principal) = 0;

  /// Stores what `task` says of status, message, state, requests, result and error, unless the
  /// stored one has ended: that never changes. Returns the task as stored.
  virtual Result<McpTask> update(const McpTask& task) = 0;

  struct Answered {
    McpTask task;
    bool resumed = false;  // by this call: its caller continues the work
  };
  /// take_answers() as one step, however many answer at once.
  virtual Result<Answered> answer(std::string_view id, std::string_view principal,
                                  const json::Object& responses) = 0;

  /// Ends a task that has not ended; another try changes nothing.
  virtual Result<McpTask> cancel(std::string_view id, std::string_view principal) = 0;
};

}  // namespace baton::protocol
