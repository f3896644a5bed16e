#include "workflow/steps/state_update.h"

#include "workflow/check/shape_check.h"
#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr Shape updates{
    .kind = ShapeKind::list, .what = "a list of at least one update", .item = &update, .min = 1};
constexpr Key batch_keys[] = {{"updates", &updates, "", required}};

}  // namespace
}  // namespace shapes

namespace {

/// The one write becomes a list of writes, as other steps have it.
void normalise(SyntaxNode& step, const CheckContext& context) {
  SyntaxNode update = SyntaxNode::object(step.at);
  for (const std::string_view key : {"path", "operation", "value"}) {
    if (const SyntaxNode* found = step.find(key)) update.set(key, *found);
    step.erase(key);
  }
  if (!update.has("value")) {
    const std::string_view operation = update.text_of("operation");
    if (operation == "increment" || operation == "decrement") {
      update.set("value", SyntaxNode::of_integer(1, step.at));
    } else {
      context.diagnostics.error(Code::WORKFLOW_MISSING_KEY, step.at,
                                "a state_update step needs \"value\"");
    }
  }
  SyntaxNode list = SyntaxNode::array(step.at);
  list.append(std::move(update));
  step.set("updates", std::move(list));
}

void normalise_batch(SyntaxNode& step, const CheckContext&) {
  if (SyntaxNode* list = step.find("updates")) {
    for (SyntaxNode& each : list->children) {
      if (!each.has("value")) each.set("value", SyntaxNode::of_integer(1, each.at));
    }
  }
  step.set("type", SyntaxNode::of_text("state_update", step.at));
}

void lower_state_update(SyntaxNode&, StepLowering&, Step& out) { out.body = StateUpdate(); }

}  // namespace

std::span<const StepType> StateUpdate::spellings() {
  static constexpr StepType types[] = {{.name = "state_update",
                                        .actor = "server",
                                        .help = "Write state",
                                        .keys = shapes::update_keys,
                                        .normalise = normalise,
                                        .lower = lower_state_update},
                                       {.name = "batch_state_update",
                                        .actor = "server",
                                        .help = "Write state at several paths at once",
                                        .keys = shapes::batch_keys,
                                        .normalise = normalise_batch,
                                        .lower = lower_state_update}};
  return types;
}

}  // namespace baton::workflow
