#include "workflow/steps/jumps.h"

#include "base/text/text.h"
#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"
#include "workflow/steps/checks.h"

namespace baton::workflow {
namespace {

void check_jumps(const SyntaxNode& step, StepChecks& checks) {
  if (checks.in_loop) return;
  checks.wrong(Code::WORKFLOW_MISPLACED_STEP, step.at,
               cat("\"", step.text_of("type"), "\" is outside a loop"),
               "put it into the body of a loop; a step of type exit ends the workflow");
}

template <class Payload>
void lower_jumps(SyntaxNode&, StepLowering&, Step& out) {
  out.body = Payload();
}

}  // namespace

std::span<const StepType> BreakLoop::spellings() {
  static constexpr StepType types[] = {{.name = "break",
                                        .actor = "server",
                                        .help = "Leave the innermost loop",
                                        .leaves_block = true,
                                        .check = check_jumps,
                                        .lower = lower_jumps<BreakLoop>}};
  return types;
}

std::span<const StepType> ContinueLoop::spellings() {
  static constexpr StepType types[] = {{.name = "continue",
                                        .actor = "server",
                                        .help = "Begin the next iteration",
                                        .leaves_block = true,
                                        .check = check_jumps,
                                        .lower = lower_jumps<ContinueLoop>}};
  return types;
}

std::span<const StepType> Exit::spellings() {
  static constexpr StepType types[] = {{.name = "exit",
                                        .actor = "server",
                                        .help = "End the workflow",
                                        .leaves_block = true,
                                        .lower = lower_jumps<Exit>}};
  return types;
}

}  // namespace baton::workflow
