#include "workflow/steps/conditional.h"

#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"
#include "workflow/steps/checks.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr Key conditional_keys[] = {{"condition", &condition, "", required},
                                    {"then", &steps},
                                    {"then_steps", &steps, "", alias, "then"},
                                    {"else", &steps},
                                    {"else_steps", &steps, "", alias, "else"}};

}  // namespace
}  // namespace shapes

namespace {

void check_conditional(const SyntaxNode& step, StepChecks& checks) {
  if (step.has("then") || step.has("else")) return;
  checks.wrong_unless(Dialect::aromcp, Code::WORKFLOW_MISSING_KEY, step.at,
                      "a conditional step needs \"then\" or \"else\"");
}

void lower_conditional(SyntaxNode& node, StepLowering& lowering, Step& out) {
  out.body = Conditional{condition_at(node, "condition")};
  lowering.block(node, "then", out);
  lowering.block(node, "else", out);
}

}  // namespace

std::span<const StepType> Conditional::spellings() {
  static constexpr StepType types[] = {{.name = "conditional",
                                        .actor = "server",
                                        .help = "One of two branches",
                                        .keys = shapes::conditional_keys,
                                        .check = check_conditional,
                                        .lower = lower_conditional}};
  return types;
}

}  // namespace baton::workflow
