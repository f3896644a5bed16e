#include "workflow/steps/wait_step.h"

#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr Key wait_keys[] = {{"message", &text},
                             {"timeout", &duration},
                             {"timeout_ms", &duration, "When to ask again"},
                             {"timeout_seconds", &duration}};

}  // namespace
}  // namespace shapes

namespace {

void lower_wait_step(SyntaxNode& node, StepLowering&, Step& out) {
  out.body = WaitStep{text_at(node, "message")};
}

}  // namespace

std::span<const StepType> WaitStep::spellings() {
  static constexpr StepType types[] = {{.name = "wait_step",
                                        .actor = "agent",
                                        .help = "Nothing to do yet; ask again later",
                                        .keys = shapes::wait_keys,
                                        .lower = lower_wait_step}};
  return types;
}

}  // namespace baton::workflow
