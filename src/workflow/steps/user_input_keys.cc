#include "workflow/steps/user_input.h"

#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr std::string_view input_types[] = {"string", "number", "integer", "boolean", "choice"};
constexpr Shape input_type{
    .kind = ShapeKind::text, .what = "the type of an answer", .words = input_types};
constexpr Key validation_keys[] = {{"pattern", &text, "A regular expression"},
                                   {"error_message", &text},
                                   {"min", &any},
                                   {"max", &any},
                                   {"min_length", &count},
                                   {"max_length", &count}};
constexpr Shape validation{.kind = ShapeKind::object,
                           .what = "rules for the answer",
                           .keys = validation_keys,
                           .open = true};
constexpr Key user_input_keys[] = {{"prompt", &filled, "The question", required},
                                   {"instructions", &text},
                                   {"input_type", &input_type},
                                   {"choices", &values},
                                   {"default", &any},
                                   {"validation", &validation},
                                   {"max_retries", &count},
                                   gate_key,
                                   {"state_update", &update},
                                   {"state_updates", &some_updates},
                                   {"store_result", &filled},
                                   {"timeout", &duration},
                                   {"timeout_ms", &duration},
                                   {"timeout_seconds", &duration}};

}  // namespace
}  // namespace shapes

namespace {

void lower_user_input(SyntaxNode& node, StepLowering&, Step& out) {
  UserInput input{.message = std::string(node.text_of("prompt")),
                  .instructions = text_at(node, "instructions"),
                  .choices = value_at(node, "choices"),
                  .fallback = value_at(node, "default"),
                  .validation = value_at(node, "validation")};
  if (node.has("input_type")) input.input_type = node.text_of("input_type");
  if (const auto tries = integer_at(node, "max_retries")) input.max_retries = *tries;
  out.body = std::move(input);
}

}  // namespace

std::span<const StepType> UserInput::spellings() {
  static constexpr StepType types[] = {{.name = "user_input",
                                        .actor = "person",
                                        .help = "Ask a person",
                                        .keys = shapes::user_input_keys,
                                        .lower = lower_user_input}};
  return types;
}

}  // namespace baton::workflow
