// The prompts of the suite.

#include "base/text/text.h"
#include "conformance/fixtures.h"
#include "conformance/parts.h"
#include "protocol/testing/blocks.h"

namespace baton::conformance {
namespace {

using protocol::Call;
using protocol::NeedInput;
using protocol::Prompt;
using protocol::PromptAnswer;
using protocol::PromptResult;

PromptResult user_says(std::vector<json::Object> blocks) {
  PromptResult result;
  for (json::Object& block : blocks) result.messages.push_back({"user", std::move(block)});
  return result;
}

PromptAnswer with_context(const Call& call) {
  const json::Object* const answer = call.input("user_context");
  if (answer == nullptr) {
    return NeedInput{
        {{"user_context", ask_for("What context should the prompt use?", "context", "string")}}};
  }
  return user_says({protocol::text_content(cat("Use this context: ", json::print(*answer)))});
}

}  // namespace

std::vector<Prompt> prompts() {
  return {
      {.name = "test_simple_prompt",
       .title = "A simple prompt",
       .description = "One line of text.",
       .handler =
           [](const Call&) {
             return user_says({protocol::text_content("This is a simple prompt for testing.")});
           }},
      {.name = "test_prompt_with_arguments",
       .title = "A prompt with arguments",
       .description = "Repeats its two arguments.",
       .arguments = {{.name = "arg1",
                      .description = "First test argument",
                      .required = true,
                      .complete = protocol::complete_from({"test1", "test2", "other"})},
                     {.name = "arg2", .description = "Second test argument", .required = true}},
       .handler =
           [](const Call& call) {
             return user_says({protocol::text_content(cat("Prompt with arguments: arg1='",
                                                          argument(call, "arg1"), "', arg2='",
                                                          argument(call, "arg2"), '\''))});
           }},
      {.name = "test_prompt_with_embedded_resource",
       .title = "A prompt with a resource",
       .description = "Carries a resource and what to do with it.",
       .arguments = {{.name = "resourceUri",
                      .description = "URI of the resource to embed",
                      .required = true}},
       .handler =
           [](const Call& call) {
             return user_says(
                 {protocol::resource_content(
                      protocol::text_contents(argument(call, "resourceUri"), "text/plain",
                                              "Embedded resource content for testing.")),
                  protocol::text_content("Please process the embedded resource above.")});
           }},
      {.name = "test_prompt_with_image",
       .title = "A prompt with a picture",
       .description = "Carries a picture and what to do with it.",
       .handler =
           [](const Call&) {
             return user_says({protocol::image_content(red_pixel_png, "image/png"),
                               protocol::text_content("Please analyze the image above.")});
           }},
      {.name = "test_input_required_result_prompt",
       .title = "A prompt that asks",
       .description = "Asks the user before it is made.",
       .handler = with_context},
  };
}

Result<protocol::Catalog> catalog(const Publish& publish) {
  std::vector<protocol::Tool> tools = content_tools();
  for (auto more :
       {behaviour_tools(publish), legacy_question_tools(), modern_question_tools(), task_tools()}) {
    for (protocol::Tool& each : more) tools.push_back(std::move(each));
  }
  protocol::Catalog all;
  all.tools = TRY(protocol::ToolTable::make(std::move(tools)));
  all.resources =
      TRY(protocol::ResourceTable::make(resources(), resource_templates(), numbered_resources()));
  all.prompts = TRY(protocol::PromptTable::make(prompts()));
  all.tools_change = true;
  all.prompts_change = true;
  all.resources_change = true;
  all.resources_subscribe = true;
  all.logs = true;
  all.publish = publish;
  return all;
}

}  // namespace baton::conformance
