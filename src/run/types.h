#pragma once
// The numbers and small closed sets of a run. All are values; none depends on a clock for order.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/ids.h"
#include "base/core/sha256.h"
#include "base/core/time.h"

namespace baton::run {

/// Place of a commit in its session's log: 1, 2, 3, ... without gaps. 0: the empty log.
struct Seq {
  std::int64_t value = 0;
  auto operator<=>(const Seq&) const = default;
};

/// Place of a commit in the whole store; grows, never reused. 0: before the first.
struct CommitNo {
  std::int64_t value = 0;
  auto operator<=>(const CommitNo&) const = default;
};

/// A node's number in its store: its commit's number times 16 plus its place among the nodes of
/// that commit. So it follows from the log alone, fits a token's five bytes, and is never reused.
struct NodeNo {
  std::int64_t value = 0;
  auto operator<=>(const NodeNo&) const = default;

  static NodeNo of(CommitNo commit, std::size_t place) {
    return {commit.value * 16 + static_cast<std::int64_t>(place)};
  }
  CommitNo commit() const { return {value / 16}; }
};

enum class NodeKind : std::uint8_t { step, checkpoint, blocked_attempt };
enum class EdgeKind : std::uint8_t { acked_step, checkpoint, blocked_attempt };

/// Why an edge exists: the plain case, or a second child of a node that already had one.
enum class EdgeCause : std::uint8_t { advance, non_tip_advance, checkpoint_created };

/// What an attempt does: settle an open step, or record progress without settling any.
enum class AttemptKind : std::uint8_t { advance, checkpoint };

/// One attempt at an open step of a node. `count` is the number of attempts settled before it, so
/// that a token for it can be minted again without writing anything.
struct AttemptKey {
  AttemptKind kind = AttemptKind::advance;
  std::uint8_t ordinal = 0;  // which open step; 0 for a checkpoint
  std::uint16_t count = 0;
  auto operator<=>(const AttemptKey&) const = default;
};

enum class Autonomy : std::uint8_t { guided, full_auto_stop_on_user_deps, full_auto_never_stop };
enum class RiskPolicy : std::uint8_t { conservative, balanced, aggressive };

/// What was seen around a run. The value of a path is absolute.
enum class ObservationKey : std::uint8_t {
  workspace_path,
  repo_root,
  git_branch,
  git_head_sha,
  principal,  // who started the run, unless it is the local user
};

/// How far a run is at a node. Blocked: the last attempt at its step did not pass.
enum class RunStatus : std::uint8_t {
  in_progress,
  blocked,
  complete,
  complete_with_gaps,
  failed,
  abandoned
};

/// Whether a run is active at a node. One that was ended has no open steps there.
enum class RunState : std::uint8_t { running, failed, abandoned };

/// What happens to a run when a step failed: the step is done again, the run continues after
/// it, the run begins again at its first step, or it fails.
enum class Consequence : std::uint8_t { retry, go_on, restart, fail };

/// What an agent says of a loop at the end of a round.
enum class LoopDecision : std::uint8_t { go_on, stop };

enum class TraceKind : std::uint8_t {
  selected_next_step,
  evaluated_condition,
  entered_loop,
  exited_loop
};
enum class TraceRefKind : std::uint8_t { step_id, loop_id, condition_id, iteration };

/// The status of an MCP task; the last three are final.
enum class McpTaskStatus : std::uint8_t { working, input_required, completed, failed, cancelled };

/// How the preferences of a run were changed: by the call that started it, by a later call, or by a
/// command in a terminal.
enum class ChangedHow : std::uint8_t { start, call, terminal };

struct Preferences {
  Autonomy autonomy = Autonomy::guided;
  RiskPolicy risk_policy = RiskPolicy::conservative;
  bool operator==(const Preferences&) const = default;
};

/// Whether `to` goes further without the user than `from`, in autonomy or in risk. The members of
/// both sets are in the order of how far they go.
inline bool is_raise(const Preferences& from, const Preferences& to) {
  return to.autonomy > from.autonomy || to.risk_policy > from.risk_policy;
}

/// Who changes a run, and how.
struct ChangeSource {
  std::string principal = "local";
  ChangedHow how = ChangedHow::call;
  std::string tool = {};  // that was called; may be empty
  bool operator==(const ChangeSource&) const = default;
};

/// Where a change of preferences came from, and what was in effect before it. At a start that is
/// what the server gives to runs whose caller says nothing.
struct PreferenceChange {
  Preferences from;
  ChangeSource source;
  bool operator==(const PreferenceChange&) const = default;
};

// The names of the closed sets, as events and replies have them.
std::string_view name_of(NodeKind kind);
std::string_view name_of(EdgeKind kind);
std::string_view name_of(EdgeCause cause);
std::string_view name_of(AttemptKind kind);
std::string_view name_of(Autonomy autonomy);
std::string_view name_of(RiskPolicy policy);
std::string_view name_of(ObservationKey key);
std::string_view name_of(McpTaskStatus status);
std::string_view name_of(RunStatus status);
std::string_view name_of(RunState state);
std::string_view name_of(Consequence consequence);
std::string_view name_of(LoopDecision decision);
std::string_view name_of(TraceKind kind);
std::string_view name_of(TraceRefKind kind);
std::string_view name_of(ChangedHow how);

/// The member of a closed set with that name, or nothing.
template <class Set>
std::optional<Set> from_name(std::string_view name);

/// Every name of a closed set, for schemas and messages.
template <class Set>
std::vector<std::string_view> names();

}  // namespace baton::run
