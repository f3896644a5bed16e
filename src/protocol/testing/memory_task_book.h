#pragma once
// A task book in memory, for tests: ids count up, and the clock is stopped until it is moved. Any
// thread.

#include <map>

#include "base/core/thread_safety.h"
#include "base/text/text.h"
#include "protocol/tasks.h"

namespace baton::protocol {

class MemoryTaskBook final : public TaskBook {
 public:
  Result<McpTask> create(McpTask draft) override {
    const MutexLock lock(mutex_);
    draft.id = cat("task-", tasks_.size() + 1);
    draft.created = draft.updated = now_;
    return tasks_[draft.id] = std::move(draft);
  }

  Result<McpTask> get(std::string_view id, std::string_view principal) override {
    const MutexLock lock(mutex_);
    return *TRY(find(id, principal));
  }

  Result<McpTask> update(const McpTask& task) override {
    const MutexLock lock(mutex_);
    McpTask& stored = *TRY(find(task.id, task.principal));
    if (is_terminal(stored.status)) return stored;
    stored = task;
    stored.updated = now_;
    return stored;
  }

  Result<Answered> answer(std::string_view id, std::string_view principal,
                          const json::Object& responses) override {
    const MutexLock lock(mutex_);
    McpTask& stored = *TRY(find(id, principal));
    const bool resumed = take_answers(stored, responses);
    return Answered{stored, resumed};
  }

  Result<McpTask> cancel(std::string_view id, std::string_view principal) override {
    const MutexLock lock(mutex_);
    McpTask& stored = *TRY(find(id, principal));
    if (!is_terminal(stored.status)) stored.status = McpTaskState::cancelled;
    return stored;
  }

  void move_to(WallMs now) {
    const MutexLock lock(mutex_);
    now_ = now;
  }

 private:
  Result<McpTask*> find(std::string_view id, std::string_view principal) REQUIRES(mutex_) {
    const auto found = tasks_.find(id);
    if (found == tasks_.end() || found->second.principal != principal) {
      return fail(Code::NOT_FOUND, "There is no such task.");
    }
    return &found->second;
  }

  Mutex mutex_;
  std::map<std::string, McpTask, std::less<>> tasks_ GUARDED_BY(mutex_);
  WallMs now_ GUARDED_BY(mutex_){1'790'000'000'000};
};

}  // namespace baton::protocol
