#include "workflow/steps/apply_hints.h"

#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr Key hints_keys[] = {{"file", &filled, "", required},
                              {"hints", &any, "", required},
                              gate_key,
                              effect_key,
                              on_fork_key,
                              {"state_update", &update},
                              {"state_updates", &some_updates}};

}  // namespace
}  // namespace shapes

namespace {

void lower_apply_hints(SyntaxNode& node, StepLowering&, Step& out) {
  out.body = ApplyHints{std::string(node.text_of("file")), node.find("hints")->to_json()};
}

}  // namespace

std::span<const StepType> ApplyHints::spellings() {
  static constexpr StepType types[] = {{.name = "apply_hints",
                                        .actor = "agent",
                                        .help = "Apply hints to a file",
                                        .keys = shapes::hints_keys,
                                        .lower = lower_apply_hints}};
  return types;
}

}  // namespace baton::workflow
