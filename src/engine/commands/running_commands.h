#pragma once
// The commands that this process has promised to run or runs, by the node that each was intended
// at. A promise is taken once, so that a command starts at most once. Any thread.

#include <functional>
#include <map>
#include <memory>

#include "base/core/ids.h"
#include "base/core/thread_safety.h"
#include "ports/process_runner.h"

namespace baton::engine {

class RunningCommands {
 public:
  /// Before its intent is recorded, that is, before any other process can know the node.
  void promise(const NodeId& node) {
    const MutexLock lock(mutex_);
    commands_.emplace(node, nullptr);
  }

  /// When its result is recorded, or its intent is not, or the result is no longer needed: what
  /// still runs of it is stopped.
  void forget(const NodeId& node) {
    std::shared_ptr<ports::RunningProcess> last;  // waits for its end, so not under the lock
    const MutexLock lock(mutex_);
    const auto found = commands_.find(node);
    if (found == commands_.end()) return;
    last = std::move(found->second);
    commands_.erase(found);
    if (last != nullptr) last->stop();
  }

  /// Whether this process runs it, or is about to.
  bool has(const NodeId& node) const {
    const MutexLock lock(mutex_);
    return commands_.contains(node);
  }

  /// Whether this process has started it.
  bool is_started(const NodeId& node) const {
    const MutexLock lock(mutex_);
    const auto found = commands_.find(node);
    return found != commands_.end() && found->second != nullptr;
  }

  /// The command, started by `start` if needed; nullptr when this process did not promise it.
  std::shared_ptr<ports::RunningProcess> find(
      const NodeId& node, const std::function<std::unique_ptr<ports::RunningProcess>()>& start) {
    const MutexLock lock(mutex_);
    const auto found = commands_.find(node);
    if (found == commands_.end()) return nullptr;
    if (found->second == nullptr) found->second = start();
    return found->second;
  }

 private:
  mutable Mutex mutex_;
  std::map<NodeId, std::shared_ptr<ports::RunningProcess>> commands_
      GUARDED_BY(mutex_);  // null: not started yet
};

}  // namespace baton::engine
