#pragma once
// The table of the step types of a compiled workflow, one line each: its kind, its payload and the
// name that the compiled JSON has for it. Everything else goes by this table.

#include <cstdint>
#include <variant>

#include "workflow/steps/apply_hints.h"
#include "workflow/steps/conditional.h"
#include "workflow/steps/include.h"
#include "workflow/steps/jumps.h"
#include "workflow/steps/loop.h"
#include "workflow/steps/mcp_call.h"
#include "workflow/steps/parallel_foreach.h"
#include "workflow/steps/prompt.h"
#include "workflow/steps/shell_command.h"
#include "workflow/steps/state_update.h"
#include "workflow/steps/user_input.h"
#include "workflow/steps/user_message.h"
#include "workflow/steps/wait_step.h"

#define BATON_STEP_TYPES(TYPE)                                        \
  TYPE(prompt, PromptStep, "prompt")                                  \
  TYPE(user_message, UserMessage, "user_message")                     \
  TYPE(user_input, UserInput, "user_input")                           \
  TYPE(mcp_call, McpCall, "mcp_call")                                 \
  TYPE(shell_command, ShellCommand, "shell_command")                  \
  TYPE(agent_shell_command, AgentShellCommand, "agent_shell_command") \
  TYPE(state_update, StateUpdate, "state_update")                     \
  TYPE(conditional, Conditional, "conditional")                       \
  TYPE(loop, Loop, "loop")                                            \
  TYPE(break_loop, BreakLoop, "break")                                \
  TYPE(continue_loop, ContinueLoop, "continue")                       \
  TYPE(exit, Exit, "exit")                                            \
  TYPE(parallel_foreach, ParallelForeach, "parallel_foreach")         \
  TYPE(include, Include, "include")                                   \
  TYPE(apply_hints, ApplyHints, "apply_hints")                        \
  TYPE(wait_step, WaitStep, "wait_step")

namespace baton::workflow {

#define BATON_TYPE(kind, Payload, name) kind,
enum class StepKind : std::uint8_t { BATON_STEP_TYPES(BATON_TYPE) };
#undef BATON_TYPE

/// The first type only takes the comma.
template <class, class... Payloads>
using BodyOf = std::variant<Payloads...>;

#define BATON_TYPE(kind, Payload, name) , Payload
using AnyBody = BodyOf<void BATON_STEP_TYPES(BATON_TYPE)>;
#undef BATON_TYPE

/// What a step of each type says beside what all can say. Its index is its kind. How it is copied,
/// moved, compared and ended is compiled once, in types.cc, and not in every file that has a step.
struct StepBody : AnyBody {
  using AnyBody::AnyBody;
  using AnyBody::operator=;
  StepBody();
  StepBody(const StepBody& other);
  StepBody(StepBody&& other) noexcept;
  StepBody& operator=(const StepBody& other);
  StepBody& operator=(StepBody&& other) noexcept;
  ~StepBody();
  bool operator==(const StepBody& other) const;
};

}  // namespace baton::workflow
