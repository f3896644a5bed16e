#include "workflow/steps/user_message.h"

#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr std::string_view formats[] = {"text", "markdown", "code"};
constexpr Shape format{.kind = ShapeKind::text, .what = "a format", .words = formats};
constexpr std::string_view message_types[] = {"info", "warning", "error", "success"};
constexpr Shape message_type{
    .kind = ShapeKind::text, .what = "a kind of message", .words = message_types};
constexpr Key message_keys[] = {{"message", &text, "What is shown", required},
                                {"format", &format},
                                {"message_type", &message_type}};

}  // namespace
}  // namespace shapes

namespace {

void lower_user_message(SyntaxNode& node, StepLowering&, Step& out) {
  UserMessage message{.message = std::string(node.text_of("message")),
                      .message_type = text_at(node, "message_type")};
  if (node.has("format")) message.format = node.text_of("format");
  out.body = std::move(message);
}

}  // namespace

std::span<const StepType> UserMessage::spellings() {
  static constexpr StepType types[] = {{.name = "user_message",
                                        .actor = "agent",
                                        .help = "Show a message",
                                        .keys = shapes::message_keys,
                                        .lower = lower_user_message}};
  return types;
}

}  // namespace baton::workflow
