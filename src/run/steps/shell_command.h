#pragma once
// The command of a step as the server runs it, and what its end means for the step.
// Values are never a part of what a shell reads: they travel in the environment. Pure.

#include <variant>

#include "run/decide/submission.h"
#include "run/graph/state.h"
#include "run/show/reply.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

/// How the problem begins with a command whose result is kept while the run cannot go on from it.
inline constexpr std::string_view way_on_is_unknown = "what comes after it cannot be told: ";

/// What the server is to run for the open step of `state`: nothing when the step is not one of its
/// own, or when it does so already. `runner` names the process that starts it; empty: no command
/// may be run. Values that are not set, and a directory
/// outside of the workspace, are errors.
Known<std::optional<ProcessIntended>> command_at(const workflow::CompiledWorkflow& workflow,
                                                 const NodeState& state, std::string_view runner,
                                                 Scripts& scripts);

/// The result of a command for its step: a value of its output format, or a failure. REQUIRES: the
/// end is known.
std::variant<json::Value, StepFailure> meaning_of(const workflow::Step& step,
                                                  const ProcessIntended& intended,
                                                  const ProcessResult& result);

/// What can be said of a command that was intended, without writing anything.
enum class CommandStatus : std::uint8_t {
  running,  // or about to start, or it cannot be told that it is not
  ended,    // its result is recorded, at a later node
  unknown,  // nothing runs, and its result will never be known
  held      // it was not started, because the owner holds the run
};

std::string_view name_of(CommandStatus status);

/// What an agent is told of a step whose command the server runs. Any status but running is in the
/// definition as `command_status`.
Pending pending_command(const workflow::Step& step, const ProcessIntended& intended,
                        CommandStatus status = CommandStatus::running);

/// What pending_command() said; nothing for a step whose command the server does not run.
std::optional<CommandStatus> command_status_of(const Pending& pending);

/// The text before a step that became the agent's after the server ran its command.
std::string command_handover_text(const ProcessFinished& ran);

}  // namespace baton::run
