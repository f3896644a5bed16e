#include "workflow/steps/mcp_call.h"

#include "workflow/check/shape_check.h"
#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr Key mcp_keys[] = {{"method", &filled, "", required}, {"params", &free_object}};
constexpr Shape mcp{.kind = ShapeKind::object, .what = "a method and its params", .keys = mcp_keys};
constexpr Key mcp_call_keys[] = {{"mcp", &mcp, "The tool and its arguments"},
                                 {"tool", &filled, "The tool"},
                                 {"parameters", &free_object, "Its arguments"},
                                 {"state_update", &update},
                                 {"state_updates", &some_updates},
                                 {"store_result", &filled},
                                 {"on_error", &on_error},
                                 gate_key,
                                 effect_key,
                                 on_fork_key,
                                 {"error_state_update", &update},
                                 {"error_handling", &step_error},
                                 {"timeout", &duration},
                                 {"timeout_ms", &duration},
                                 {"timeout_seconds", &duration}};

}  // namespace
}  // namespace shapes

namespace {

void normalise(SyntaxNode& step, const CheckContext& context) {
  if (const SyntaxNode* mcp = step.find("mcp")) {
    if (step.has("tool")) {
      context.diagnostics.error(Code::WORKFLOW_DUPLICATE_KEY, mcp->key_at,
                                "\"mcp\" and \"tool\" are two names of one key");
    }
    SyntaxNode tool = mcp->has("method") ? *mcp->find("method") : SyntaxNode::of_text("", mcp->at);
    SyntaxNode parameters = mcp->has("params") ? *mcp->find("params") : SyntaxNode::object(mcp->at);
    step.set("tool", std::move(tool));
    step.set("parameters", std::move(parameters));
    step.erase("mcp");
  }
  if (!step.has("tool")) {
    context.diagnostics.error(Code::WORKFLOW_MISSING_KEY, step.at,
                              "an mcp_call step needs \"tool\" or \"mcp\"");
  }
}

void lower_mcp_call(SyntaxNode& node, StepLowering&, Step& out) {
  McpCall call{.tool = std::string(node.text_of("tool"))};
  if (const SyntaxNode* given = node.find("parameters")) call.parameters = given->to_json();
  out.body = std::move(call);
}

}  // namespace

std::span<const StepType> McpCall::spellings() {
  static constexpr StepType types[] = {{.name = "mcp_call",
                                        .actor = "agent",
                                        .help = "Call another MCP tool",
                                        .keys = shapes::mcp_call_keys,
                                        .normalise = normalise,
                                        .lower = lower_mcp_call}};
  return types;
}

}  // namespace baton::workflow
