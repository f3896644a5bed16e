#include "workflow/steps/shell_command.h"

#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"
#include "workflow/steps/checks.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr std::string_view outputs[] = {"lines", "json", "text", "key_value"};
constexpr Shape output{.kind = ShapeKind::text, .what = "a form of output", .words = outputs};
constexpr std::string_view contexts[] = {"server", "client"};
constexpr Shape context{.kind = ShapeKind::text, .what = "where it runs", .words = contexts};
constexpr std::string_view sandboxes[] = {"workspace"};
constexpr Shape sandbox{.kind = ShapeKind::text, .what = "a sandbox", .words = sandboxes};
constexpr Key shell_keys[] = {
    {"command", &filled, "For a shell; slots become variables"},
    {"argv", &some_texts, "A program and its arguments, without a shell"},
    {"working_directory", &filled},
    {"output_format", &output},
    {"timeout", &duration},
    {"timeout_ms", &duration},
    {"timeout_seconds", &duration},
    {"on_error", &on_error},
    {"retry_count", &count},
    {"retry_delay", &duration, "Milliseconds"},
    {"fallback_value", &any},
    {"error_state_update", &update},
    {"error_handling", &step_error},
    {"execution_context", &context},
    {"sandbox", &sandbox, "Where the server lets it write"},
    {"state_update", &update},
    {"state_updates", &some_updates},
    {"store_result", &filled},
    {"reason", &text, "Why the agent runs it"},
    gate_key,
    effect_key,
    on_fork_key,
    {"undo", &filled, "The command that takes its effect back"},
    {"despite_gaps", &boolean, "Whether the server runs it behind an open critical gap"}};

}  // namespace
}  // namespace shapes

namespace {

void check_shell_command(const SyntaxNode& step, StepChecks& checks) {
  if (step.has("command") != step.has("argv")) return;
  checks.wrong(step.has("argv") ? Code::WORKFLOW_DUPLICATE_KEY : Code::WORKFLOW_MISSING_KEY,
               step.at, "a shell step needs either \"command\" or \"argv\"");
}

ShellCommand lowered(const SyntaxNode& node, StepLowering& lowering, const Step& step,
                     ShellUse::By by) {
  ShellCommand out{.working_directory = text_at(node, "working_directory"),
                   .reason = text_at(node, "reason"),
                   .sandbox = text_at(node, "sandbox")};
  if (node.has("output_format")) out.output_format = node.text_of("output_format");
  if (const SyntaxNode* argv = node.find("argv")) {
    out.argv = *texts_at(node, "argv");
    lowering.arguments(step, *argv, by);
  } else if (const SyntaxNode* command = node.find("command")) {
    auto [line, env] = lowering.command_line(step, *command, by);
    if (!env.empty()) out.env = std::move(env);
    out.command = std::move(line);
  }
  return out;
}

void lower_for_agent(SyntaxNode& node, StepLowering& lowering, Step& out) {
  out.body = AgentShellCommand{lowered(node, lowering, out, ShellUse::By::agent)};
}

void lower_shell_command(SyntaxNode& node, StepLowering& lowering, Step& out) {
  if (node.text_of("execution_context") == "client") return lower_for_agent(node, lowering, out);
  out.body = lowered(node, lowering, out, ShellUse::By::server);
}

}  // namespace

std::span<const StepType> ShellCommand::spellings() {
  static constexpr StepType types[] = {{.name = "shell_command",
                                        .actor = "server",
                                        .help = "Run a command, on the server when trusted",
                                        .keys = shapes::shell_keys,
                                        .check = check_shell_command,
                                        .lower = lower_shell_command}};
  return types;
}

std::span<const StepType> AgentShellCommand::spellings() {
  static constexpr StepType types[] = {{.name = "agent_shell_command",
                                        .actor = "agent",
                                        .help = "Run a command, always by the agent",
                                        .keys = shapes::shell_keys,
                                        .check = check_shell_command,
                                        .lower = lower_for_agent}};
  return types;
}

}  // namespace baton::workflow
