#pragma once
// The branch that a fork leaves behind, as facts: where it ended, which commands the server ran on
// it, and which effects its agents reported. The reply of the fork has them, so they are recorded
// with it. Values only.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "run/log/event.h"
#include "run/log/token.h"

namespace baton::run {

/// A command that the server started.
struct StartedCommand {
  std::string step;
  std::optional<ProcessEnd> end = {};  // none: no result was recorded by then
  std::int64_t code = 0;               // as ProcessFinished has it
  bool is_undone = false;              // what it did was taken back since
  bool operator==(const StartedCommand&) const = default;
};

struct LeftBranch {
  std::string step;                           // that the fork settles again; empty: a checkpoint
  TokenClaim tip;                             // the newest node of the branch
  std::vector<StartedCommand> commands = {};  // the first, at most limits::fork_commands_max
  std::int64_t commands_omitted = 0;
  std::vector<std::string> reported = {};  // steps that changed something outside, likewise
  std::int64_t reported_omitted = 0;
  std::int64_t nodes_unread = 0;  // the oldest of the branch, past limits::fork_walk_nodes_max
  bool operator==(const LeftBranch&) const = default;
};

json::Value to_json(const LeftBranch& left);
Result<LeftBranch> left_branch_from_json(const json::Value& value);

/// Collects the effects of a branch from its commits, which are added from the newest to the
/// oldest. A command that did not start did nothing outside and is left out.
class BranchCommands {
 public:
  /// `undone`: the effects that were undone, by the nodes that name them.
  explicit BranchCommands(std::set<NodeId> undone = {}) : undone_(std::move(undone)) {}

  void add(std::span<const Event> events);
  /// Sets the commands and the reported effects of `left`, in the order in which they came.
  void finish(LeftBranch& left) &&;

 private:
  std::map<NodeId, StartedCommand> ends_;  // by the node that the command was intended at
  std::set<NodeId> undone_;
  std::vector<StartedCommand> newest_first_;
  std::vector<std::string> reported_newest_first_;
};

}  // namespace baton::run
