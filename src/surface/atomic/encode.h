#pragma once
// What several atomic tools show alike: the open step, what keeps one from passing, the state.

#include "engine/load/find_open_step.h"
#include "run/steps/parallel_foreach.h"
#include "surface/arguments.h"
#include "verbs/run/next_step.h"

namespace baton::surface::atomic {

/// How the caller speaks of what it works at: a sub-agent by the run that its task belongs to.
struct StepAddress {
  std::string workflow_id = {};              // empty: the point's own run
  std::optional<std::string> task = {};      // of a sub-agent
  const run::TaskList* open_tasks = {};      // of a step that sub-agents carry out, by now
  std::size_t settled = 0;                   // and how many are not open any more
  std::optional<verbs::EndReason> why = {};  // the run ended, when it did not complete
};

/// The open step as fields; null when none is.
json::Value step_json(const engine::RunPoint& point, const StepAddress& asked = {});

/// The open step as text, with the call that completes it, or what to do when none is open.
std::string step_text(const engine::RunPoint& point, const StepAddress& asked = {});

/// What would have passed, for an attempt that did not; may be empty.
std::string example_text(const run::Reply& reply);

json::Array blockers_json(const run::Reply& reply);
std::string blockers_text(const run::Reply& reply);

/// Adds how an agent behaves in the mode of its run, for one that begins or returns, and returns
/// the same as text. Nothing for a run that is over.
std::string add_mode(json::Object& out, const run::Reply& reply);

/// Adds what was decided in the user's place, at the end of a run, and returns the same as text.
std::string add_assumptions(json::Object& out, const run::Reply& reply);

/// A state as an agent sees it, by name; what does not fit is told by its size.
json::Object shown_state(const json::Object& state, std::size_t bytes_max = 8'000);

/// Of tools that name a run.
inline constexpr std::string_view workflow_id_property =
    R"("workflow_id":{"type":"string","description":"From workflow_start."})";

/// Of answers at the end of a run.
inline constexpr std::string_view assumptions_property =
    R"("assumptions":{"type":"array","items":{"type":"object"},"description":)"
    R"("At the end: what was decided in the user's place, as step_id and summary."})";

/// Of tools that sub-agents call.
inline constexpr std::string_view sub_agent_property =
    R"("sub_agent_context":{"type":"object","description":"Of a sub-agent: {task_id}."})";

/// The task that a sub-agent speaks for; nothing when none does. INVALID_INPUT for a context that
/// names no task: the call would be taken for the orchestrator's.
Result<std::optional<std::string>> task_argument(const json::Object& arguments);

/// The run that a call reads: the one that it names or, of a sub-agent, that of its task.
Result<verbs::TaskRun> run_argument(const engine::ReadContext& reading,
                                    const protocol::ToolCall& call);

/// Why a run or a task ended, as fields and in a sentence; nothing and "" when it did not.
void add_failure(json::Object& out, const std::optional<verbs::EndReason>& why);
std::string failure_text(const std::optional<verbs::EndReason>& why, std::string_view what);
inline constexpr std::string_view failure_property =
    R"("failure":{"type":"object","description":"step, type, message."})";

}  // namespace baton::surface::atomic
