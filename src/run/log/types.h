#pragma once
// The numbers and small closed sets of a run. All are values; none depends on a clock for order.

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/ids.h"
#include "base/core/sha256.h"
#include "base/core/time.h"

namespace baton::run {

/// The names of a closed set as they are written in events and replies, in the order of its
/// members. They are beside the set, and nowhere else.
template <class Set>
inline constexpr std::nullptr_t names_of = nullptr;
template <std::size_t N>
using Names = std::array<std::string_view, N>;
template <class Set>
concept Named = requires { names_of<Set>.size(); };

template <Named Set>
constexpr std::string_view name_of(Set member) {
  return names_of<Set>[static_cast<std::size_t>(member)];
}

/// The member of a closed set with that name, or nothing.
template <Named Set>
constexpr std::optional<Set> from_name(std::string_view name) {
  const auto found = std::ranges::find(names_of<Set>, name);
  if (found == names_of<Set>.end()) return std::nullopt;
  return static_cast<Set>(found - names_of<Set>.begin());
}

/// Every name of a closed set, for schemas and messages.
template <Named Set>
std::vector<std::string_view> names() {
  return {names_of<Set>.begin(), names_of<Set>.end()};
}

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
template <>
inline constexpr Names<3> names_of<NodeKind> = {"step", "checkpoint", "blocked_attempt"};
enum class EdgeKind : std::uint8_t { acked_step, checkpoint, blocked_attempt };
template <>
inline constexpr Names<3> names_of<EdgeKind> = {"acked_step", "checkpoint", "blocked_attempt"};

/// Why an edge exists: the plain case, or a second child of a node that already had one.
enum class EdgeCause : std::uint8_t { advance, non_tip_advance, checkpoint_created };
template <>
inline constexpr Names<3> names_of<EdgeCause> = {"advance", "non_tip_advance",
                                                 "checkpoint_created"};

/// What an attempt does: settle an open step, or record progress without settling any.
enum class AttemptKind : std::uint8_t { advance, checkpoint };
template <>
inline constexpr Names<2> names_of<AttemptKind> = {"advance", "checkpoint"};

/// One attempt at an open step of a node. `count` is the number of attempts settled before it, so
/// that a token for it can be minted again without writing anything.
struct AttemptKey {
  AttemptKind kind = AttemptKind::advance;
  std::uint8_t ordinal = 0;  // which open step; 0 for a checkpoint
  std::uint16_t count = 0;
  auto operator<=>(const AttemptKey&) const = default;
};

enum class Autonomy : std::uint8_t { guided, full_auto_stop_on_user_deps, full_auto_never_stop };
template <>
inline constexpr Names<3> names_of<Autonomy> = {"guided", "full_auto_stop_on_user_deps",
                                                "full_auto_never_stop"};
enum class RiskPolicy : std::uint8_t { conservative, balanced, aggressive };
template <>
inline constexpr Names<3> names_of<RiskPolicy> = {"conservative", "balanced", "aggressive"};

/// What was seen around a run. The value of a path is absolute.
enum class ObservationKey : std::uint8_t {
  workspace_path,
  repo_root,
  git_branch,
  git_head_sha,
  principal,  // who started the run, unless it is the local user
};
template <>
inline constexpr Names<5> names_of<ObservationKey> = {"workspace_path", "repo_root", "git_branch",
                                                      "git_head_sha", "principal"};

/// How far a run is at a node. Blocked: the last attempt at its step did not pass.
enum class RunStatus : std::uint8_t {
  in_progress,
  blocked,
  complete,
  complete_with_gaps,
  failed,
  abandoned
};
template <>
inline constexpr Names<6> names_of<RunStatus> = {"in_progress",        "blocked", "complete",
                                                 "complete_with_gaps", "failed",  "abandoned"};

/// Whether a run is active at a node. One that was ended has no open steps there.
enum class RunState : std::uint8_t { running, failed, abandoned };
template <>
inline constexpr Names<3> names_of<RunState> = {"running", "failed", "abandoned"};

/// What happens to a run when a step failed: the step is done again, the run continues after
/// it, the run begins again at its first step, or it fails.
enum class Consequence : std::uint8_t { retry, go_on, restart, fail };
template <>
inline constexpr Names<4> names_of<Consequence> = {"retry", "continue", "restart", "fail"};

/// What an agent says of a loop at the end of a round.
enum class LoopDecision : std::uint8_t { go_on, stop };
template <>
inline constexpr Names<2> names_of<LoopDecision> = {"continue", "stop"};

enum class TraceKind : std::uint8_t {
  selected_next_step,
  evaluated_condition,
  entered_loop,
  exited_loop
};
template <>
inline constexpr Names<4> names_of<TraceKind> = {"selected_next_step", "evaluated_condition",
                                                 "entered_loop", "exited_loop"};
enum class TraceRefKind : std::uint8_t { step_id, loop_id, condition_id, iteration };
template <>
inline constexpr Names<4> names_of<TraceRefKind> = {"step_id", "loop_id", "condition_id",
                                                    "iteration"};

/// The status of an MCP task; the last three are final.
enum class McpTaskStatus : std::uint8_t { working, input_required, completed, failed, cancelled };
template <>
inline constexpr Names<5> names_of<McpTaskStatus> = {"working", "input_required", "completed",
                                                     "failed", "cancelled"};

/// How a run was changed: by the call that started it, by a later call, by a command in a terminal,
/// or by the answer to a form that the client showed its user.
enum class ChangedHow : std::uint8_t { start, call, terminal, form };
template <>
inline constexpr Names<4> names_of<ChangedHow> = {"start", "call", "terminal", "form"};

/// Where a change of the context came from: the call that started the run, or an agent's output.
enum class ContextSource : std::uint8_t { initial, agent_delta };
template <>
inline constexpr Names<2> names_of<ContextSource> = {"initial", "agent_delta"};

struct Preferences {
  Autonomy autonomy = Autonomy::guided;
  RiskPolicy risk_policy = RiskPolicy::conservative;
  bool operator==(const Preferences&) const = default;

  static constexpr std::string_view name = "preferences";
  static void describe(auto& e, auto& v) {
    v("autonomy", e.autonomy);
    v("riskPolicy", e.risk_policy);
  }
};

// The members of both sets are in the order of how far they go.
static_assert(Autonomy::guided < Autonomy::full_auto_stop_on_user_deps &&
              Autonomy::full_auto_stop_on_user_deps < Autonomy::full_auto_never_stop);
static_assert(RiskPolicy::conservative < RiskPolicy::balanced &&
              RiskPolicy::balanced < RiskPolicy::aggressive);

/// Whether `to` goes further without the user than `from`, in autonomy or in risk.
inline bool is_raise(const Preferences& from, const Preferences& to) {
  return to.autonomy > from.autonomy || to.risk_policy > from.risk_policy;
}

/// Who changes a run, and how.
struct ChangeSource {
  std::string principal = "local";
  ChangedHow how = ChangedHow::call;
  std::string tool = {};  // that was called; may be empty
  bool operator==(const ChangeSource&) const = default;

  static constexpr std::string_view name = "source of a change";
  static void describe(auto& e, auto& v) {
    v("by", e.principal);
    v("how", e.how);
    v.unless_empty("tool", e.tool);
  }
};

/// Where a change of preferences came from, and what was in effect before it. At a start that is
/// what the server gives to runs whose caller says nothing.
struct PreferenceChange {
  Preferences from;
  ChangeSource source;
  bool operator==(const PreferenceChange&) const = default;

  static constexpr std::string_view name = "change of preferences";
  static void describe(auto& e, auto& v) {
    v("from", e.from);
    v.flat(e.source);
  }
};

}  // namespace baton::run
