#pragma once
// The durable book of MCP tasks. Each task is a session of its own whose id has the task's bytes,
// so that a task is found without an index, changes of it are decided by its own head, and no
// run's log is moved. Such a session has no run: nothing that lists runs shows it.
//
// Any thread, and any number of processes on one store.

#include <functional>

#include "engine/engine.h"
#include "protocol/tasks.h"

namespace baton::verbs {

class McpTasks final : public protocol::TaskBook {
 public:
  using Open = std::function<Result<engine::Engine*>()>;

  /// `open` gives the engine when it is first needed; what it gives must outlive the book.
  explicit McpTasks(Open open) : open_(std::move(open)) {}

  /// A life longer than limits::mcp_task_ttl_ms_max is cut to it.
  Result<protocol::McpTask> create(protocol::McpTask draft) override;
  Result<protocol::McpTask> get(std::string_view id, std::string_view principal) override;
  Result<protocol::McpTask> update(const protocol::McpTask& task) override;
  Result<Answered> answer(std::string_view id, std::string_view principal,
                          const json::Object& responses) override;
  Result<protocol::McpTask> cancel(std::string_view id, std::string_view principal) override;

 private:
  Open open_;
};

/// The task that a session without a run holds, whosever it is and even when its life is over;
/// nothing when the session holds none.
Result<std::optional<protocol::McpTask>> task_in(ports::EventReader& store,
                                                 const SessionId& session);

/// Every task of the store, the oldest first, at most `limit`. One whose worker is gone has failed,
/// as it does for its owner.
Result<std::vector<protocol::McpTask>> list_tasks(const engine::ReadContext& reading,
                                                  std::size_t limit);

bool is_over(const protocol::McpTask& task, WallMs now);

}  // namespace baton::verbs
