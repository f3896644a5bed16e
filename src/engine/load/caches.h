#pragma once
// What a process keeps between calls: values that were checked when they were read and never
// change, what runs here, and which sessions are closed because something in them does not fit.

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/core/effect_limits.h"
#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/core/thread_safety.h"
#include "engine/commands/running_commands.h"
#include "engine/load/index_fill_lock.h"
#include "engine/load/lru.h"
#include "run/decide/decide.h"
#include "run/effects/receipts.h"
#include "run/graph/task_board.h"
#include "run/log/commit_outline.h"
#include "run/steps/workflow_commands.h"

namespace baton::engine {

/// A node and the place of the commit that made it in its session's log.
struct Tip {
  run::NodeRow node;
  run::Seq seq;
};

/// How the tasks of one node stand, and how far the log was read for it.
struct Board {
  Board(run::TaskBoard begun, run::Seq read) : tasks(std::move(begun)), seen(read) {}

  run::TaskBoard tasks;
  run::Seq seen;
};

/// Which nodes the commits of a session made, from some place of its log on: the nodes that a
/// store lists must be these.
struct SessionNodes {
  bool is_begun = false;
  run::Seq from;                                         // the commits after this one
  run::Seq seen;                                         // up to this one
  std::map<run::NodeNo, std::optional<NodeId>> parents;  // of every node
  std::map<NodeId, run::NodeNo> numbers;
  std::map<NodeId, std::set<run::NodeNo>> children;

  /// The way up from `below` to `node`.
  struct Way {
    run::NodeNo first;        // the node directly below `node`
    std::int64_t length = 0;  // nodes below `node`, with `below` itself
  };
  /// Nothing when `below` is not below `node`. REQUIRES: the commit of `node` is among those seen.
  std::optional<Way> way(run::NodeNo node, run::NodeNo below) const;
};

/// The receipts of a session's effects, and how far the log was read for them.
struct SessionEffects {
  run::EffectLedger ledger;
  std::vector<NodeId> spread;  // where a step became pending that hands tasks to sub-agents
  run::Seq seen;
};

/// The sessions in which something was found that does not fit. They stay closed for the life of
/// the process. Any thread.
class DamagedSessions {
 public:
  /// What was found first; nothing while all that was read of the session fits.
  std::optional<Error> find(const SessionId& session) const {
    if (!is_any_) return std::nullopt;
    const MutexLock lock(mutex_);
    const auto found = errors_.find(session);
    return found == errors_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Closes the session; gives what was found first.
  Error close(const SessionId& session, Error error) {
    const MutexLock lock(mutex_);
    is_any_ = true;
    return errors_.try_emplace(session, std::move(error)).first->second;
  }

 private:
  mutable Mutex mutex_;
  std::atomic<bool> is_any_ = false;
  std::map<SessionId, Error> errors_ GUARDED_BY(mutex_);
};

/// Snapshots that were folded again because the stored ones could not be trusted. The next append
/// of their session stores them. One for each of a few sessions. Any thread.
class Reseals {
 public:
  using Snapshot = std::pair<run::NodeNo, std::string>;

  void put(const SessionId& session, run::NodeNo node, std::string text) {
    const MutexLock lock(mutex_);
    if (snapshots_.size() >= limits::reseals_max && !snapshots_.contains(session)) return;
    snapshots_.insert_or_assign(session, Snapshot{node, std::move(text)});
    is_any_ = true;
  }

  std::optional<Snapshot> find(const SessionId& session) const {
    if (!is_any_) return std::nullopt;
    const MutexLock lock(mutex_);
    const auto found = snapshots_.find(session);
    return found == snapshots_.end() ? std::nullopt : std::optional(found->second);
  }

  void forget(const SessionId& session) {
    const MutexLock lock(mutex_);
    snapshots_.erase(session);
    is_any_ = !snapshots_.empty();
  }

 private:
  mutable Mutex mutex_;
  std::atomic<bool> is_any_ = false;
  std::map<SessionId, Snapshot> snapshots_ GUARDED_BY(mutex_);
};

/// Immutable things kept by their name: any entry was checked and is true for ever. And, beside
/// them, what runs here. Any thread.
struct Caches {
  Lru<std::int64_t, run::NodeState> states{limits::cached_states_max};
  /// Nodes this process made. While `seq` is still the session's head, nothing has happened to one
  /// since: no attempt, no child, no revocation.
  Lru<std::int64_t, Tip> tips{limits::cached_states_max};
  Lru<std::string, workflow::Pinned> workflows{limits::cached_workflows_max};
  /// What they declare about state; nullptr for one without.
  Lru<std::string, std::shared_ptr<const run::Schemas>> schemas{limits::cached_workflows_max};
  /// The commands of them that the server could run.
  Lru<std::string, std::vector<run::WrittenCommand>> commands{limits::cached_workflows_max};
  RunningCommands running;
  IndexFillLock filling;
  /// Who started a run, by its id.
  Lru<std::string, std::string> owners{limits::cached_states_max};
  /// The inputs of the attempts at a step of a node, by their count.
  Lru<std::string, std::vector<Sha256>> inputs{limits::cached_inputs_max};
  /// Of nodes that hand tasks to sub-agents. These alone change, as the log grows.
  Lru<std::int64_t, std::shared_ptr<Guarded<Board>>> boards{limits::cached_boards_max};
  /// By a file's path and digest: the hash of what it compiles to.
  Lru<std::string, std::string> compiled{limits::cached_workflows_max};

  /// Commits by their number, checked: what rows are compared with, and what they were decoded to.
  Lru<std::int64_t, run::CommitOutline> outlines{limits::cached_outlines_max};
  Lru<std::int64_t, std::vector<run::Event>> events{limits::cached_states_max};
  /// Hashes that a checked commit names as those of the commit before it.
  Lru<Sha256, bool> continued{limits::cached_outlines_max};
  /// The number of a session's first commit.
  Lru<SessionId, run::CommitNo> firsts{limits::cached_outlines_max};
  /// The nodes of a session. These grow with its log.
  Lru<SessionId, std::shared_ptr<Guarded<SessionNodes>>> followed{limits::cached_followed_max};
  /// The effects of runs that have forked, or were asked about. These grow with their logs.
  Lru<SessionId, std::shared_ptr<Guarded<SessionEffects>>> effects{limits::cached_effects_max};
  DamagedSessions damaged;
  Reseals reseals;
};

}  // namespace baton::engine
