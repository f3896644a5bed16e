#include "run/types.h"

#include <span>
#include <utility>

namespace baton::run {
namespace {

template <class Set>
struct Name {
  Set member;
  std::string_view text;
};

constexpr Name<NodeKind> node_kinds[] = {{NodeKind::step, "step"},
                                         {NodeKind::checkpoint, "checkpoint"},
                                         {NodeKind::blocked_attempt, "blocked_attempt"}};
constexpr Name<EdgeKind> edge_kinds[] = {{EdgeKind::acked_step, "acked_step"},
                                         {EdgeKind::checkpoint, "checkpoint"},
                                         {EdgeKind::blocked_attempt, "blocked_attempt"}};
constexpr Name<EdgeCause> edge_causes[] = {{EdgeCause::advance, "advance"},
                                           {EdgeCause::non_tip_advance, "non_tip_advance"},
                                           {EdgeCause::checkpoint_created, "checkpoint_created"}};
constexpr Name<AttemptKind> attempt_kinds[] = {{AttemptKind::advance, "advance"},
                                               {AttemptKind::checkpoint, "checkpoint"}};
constexpr Name<Autonomy> autonomies[] = {
    {Autonomy::guided, "guided"},
    {Autonomy::full_auto_stop_on_user_deps, "full_auto_stop_on_user_deps"},
    {Autonomy::full_auto_never_stop, "full_auto_never_stop"}};
constexpr Name<RiskPolicy> risk_policies[] = {{RiskPolicy::conservative, "conservative"},
                                              {RiskPolicy::balanced, "balanced"},
                                              {RiskPolicy::aggressive, "aggressive"}};

constexpr Name<ObservationKey> observation_keys[] = {
    {ObservationKey::workspace_path, "workspace_path"},
    {ObservationKey::repo_root, "repo_root"},
    {ObservationKey::git_branch, "git_branch"},
    {ObservationKey::git_head_sha, "git_head_sha"},
    {ObservationKey::principal, "principal"}};
constexpr Name<McpTaskStatus> mcp_task_statuses[] = {
    {McpTaskStatus::working, "working"},
    {McpTaskStatus::input_required, "input_required"},
    {McpTaskStatus::completed, "completed"},
    {McpTaskStatus::failed, "failed"},
    {McpTaskStatus::cancelled, "cancelled"}};
constexpr Name<RunStatus> run_statuses[] = {
    {RunStatus::in_progress, "in_progress"}, {RunStatus::blocked, "blocked"},
    {RunStatus::complete, "complete"},       {RunStatus::complete_with_gaps, "complete_with_gaps"},
    {RunStatus::failed, "failed"},           {RunStatus::abandoned, "abandoned"}};
constexpr Name<RunState> run_states[] = {{RunState::running, "running"},
                                         {RunState::failed, "failed"},
                                         {RunState::abandoned, "abandoned"}};
constexpr Name<Consequence> consequences[] = {{Consequence::retry, "retry"},
                                              {Consequence::go_on, "continue"},
                                              {Consequence::restart, "restart"},
                                              {Consequence::fail, "fail"}};
constexpr Name<LoopDecision> loop_decisions[] = {{LoopDecision::go_on, "continue"},
                                                 {LoopDecision::stop, "stop"}};
constexpr Name<TraceKind> trace_kinds[] = {{TraceKind::selected_next_step, "selected_next_step"},
                                           {TraceKind::evaluated_condition, "evaluated_condition"},
                                           {TraceKind::entered_loop, "entered_loop"},
                                           {TraceKind::exited_loop, "exited_loop"}};
constexpr Name<TraceRefKind> trace_ref_kinds[] = {{TraceRefKind::step_id, "step_id"},
                                                  {TraceRefKind::loop_id, "loop_id"},
                                                  {TraceRefKind::condition_id, "condition_id"},
                                                  {TraceRefKind::iteration, "iteration"}};
constexpr Name<ChangedHow> changed_hows[] = {
    {ChangedHow::start, "start"}, {ChangedHow::call, "call"}, {ChangedHow::terminal, "terminal"}};

template <class Set>
constexpr std::span<const Name<Set>> table();
template <>
constexpr std::span<const Name<NodeKind>> table() {
  return node_kinds;
}
template <>
constexpr std::span<const Name<EdgeKind>> table() {
  return edge_kinds;
}
template <>
constexpr std::span<const Name<EdgeCause>> table() {
  return edge_causes;
}
template <>
constexpr std::span<const Name<AttemptKind>> table() {
  return attempt_kinds;
}
template <>
constexpr std::span<const Name<Autonomy>> table() {
  return autonomies;
}
template <>
constexpr std::span<const Name<RiskPolicy>> table() {
  return risk_policies;
}
template <>
constexpr std::span<const Name<ObservationKey>> table() {
  return observation_keys;
}
template <>
constexpr std::span<const Name<McpTaskStatus>> table() {
  return mcp_task_statuses;
}
template <>
constexpr std::span<const Name<RunStatus>> table() {
  return run_statuses;
}
template <>
constexpr std::span<const Name<RunState>> table() {
  return run_states;
}
template <>
constexpr std::span<const Name<Consequence>> table() {
  return consequences;
}
template <>
constexpr std::span<const Name<LoopDecision>> table() {
  return loop_decisions;
}
template <>
constexpr std::span<const Name<TraceKind>> table() {
  return trace_kinds;
}
template <>
constexpr std::span<const Name<TraceRefKind>> table() {
  return trace_ref_kinds;
}
template <>
constexpr std::span<const Name<ChangedHow>> table() {
  return changed_hows;
}

template <class Set>
std::string_view lookup(Set member) {
  // The tables list the members in the order of their enum.
  return table<Set>()[static_cast<std::size_t>(std::to_underlying(member))].text;
}

}  // namespace

std::string_view name_of(NodeKind kind) { return lookup(kind); }
std::string_view name_of(EdgeKind kind) { return lookup(kind); }
std::string_view name_of(EdgeCause cause) { return lookup(cause); }
std::string_view name_of(AttemptKind kind) { return lookup(kind); }
std::string_view name_of(Autonomy autonomy) { return lookup(autonomy); }
std::string_view name_of(RiskPolicy policy) { return lookup(policy); }
std::string_view name_of(ObservationKey key) { return lookup(key); }
std::string_view name_of(McpTaskStatus status) { return lookup(status); }
std::string_view name_of(RunStatus member) { return lookup(member); }
std::string_view name_of(RunState member) { return lookup(member); }
std::string_view name_of(Consequence member) { return lookup(member); }
std::string_view name_of(LoopDecision member) { return lookup(member); }
std::string_view name_of(TraceKind member) { return lookup(member); }
std::string_view name_of(TraceRefKind member) { return lookup(member); }
std::string_view name_of(ChangedHow member) { return lookup(member); }

template <class Set>
std::optional<Set> from_name(std::string_view name) {
  for (const Name<Set>& entry : table<Set>()) {
    if (entry.text == name) return entry.member;
  }
  return std::nullopt;
}

template <class Set>
std::vector<std::string_view> names() {
  std::vector<std::string_view> out;
  for (const Name<Set>& entry : table<Set>()) out.push_back(entry.text);
  return out;
}

template std::optional<NodeKind> from_name(std::string_view);
template std::optional<EdgeKind> from_name(std::string_view);
template std::optional<EdgeCause> from_name(std::string_view);
template std::optional<AttemptKind> from_name(std::string_view);
template std::optional<Autonomy> from_name(std::string_view);
template std::optional<RiskPolicy> from_name(std::string_view);
template std::optional<ObservationKey> from_name(std::string_view);
template std::optional<McpTaskStatus> from_name(std::string_view);
template std::optional<RunStatus> from_name(std::string_view);
template std::optional<RunState> from_name(std::string_view);
template std::optional<Consequence> from_name(std::string_view);
template std::optional<LoopDecision> from_name(std::string_view);
template std::optional<TraceKind> from_name(std::string_view);
template std::optional<TraceRefKind> from_name(std::string_view);
template std::optional<ChangedHow> from_name(std::string_view);
template std::vector<std::string_view> names<Autonomy>();
template std::vector<std::string_view> names<RiskPolicy>();

}  // namespace baton::run
