#include "workflow/steps/include.h"

#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr Key include_keys[] = {{"workflow", &filled, "Its id", required},
                                {"inputs", &free_object, "Its inputs, evaluated at entry"}};
constexpr Key template_keys[] = {{"templateId", &filled, "A template or a routine"},
                                 {"template_id", &filled, "", alias, "templateId"},
                                 {"template", &filled, "", alias, "templateId"},
                                 {"args", &free_object},
                                 {"templateCall", &template_call}};

}  // namespace
}  // namespace shapes

namespace {

void lower_include(SyntaxNode& node, StepLowering& lowering, Step& out) {
  Include include{.workflow = std::string(node.text_of("workflow"))};
  if (const SyntaxNode* given = node.find("inputs")) include.inputs = given->to_json();
  if (const SyntaxNode* frame = node.find("frame")) {
    IncludedFrame& inner = include.frame.emplace();
    if (const SyntaxNode* declared = frame->find("inputs"))
      inner.inputs = lowering.inputs(*declared);
    json::Object own = lowering.state(*frame);
    if (!own.empty()) inner.state = std::move(own);
  }
  out.body = std::move(include);
  lowering.block(node, "steps", out);
}

}  // namespace

std::span<const StepType> Include::spellings() {
  static constexpr StepType types[] = {{.name = "include_workflow",
                                        .actor = "server",
                                        .help = "Another workflow, with its own state",
                                        .keys = shapes::include_keys,
                                        .inside = Inside::frame,
                                        .lower = lower_include},
                                       {.name = "template_call",
                                        .actor = "compiler",
                                        .help = "The steps of a template or routine",
                                        .keys = shapes::template_keys}};
  return types;
}

}  // namespace baton::workflow
