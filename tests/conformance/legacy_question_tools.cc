// Tools that ask the client, as legacy clients are asked: sampling and forms with every field type.

#include "base/text/text.h"
#include "conformance/fixtures.h"
#include "conformance/parts.h"
#include "protocol/testing/blocks.h"

namespace baton::conformance {
namespace {

using protocol::Call;
using protocol::NeedInput;
using protocol::ToolAnswer;

std::string printed(const json::Object* object) {
  return object == nullptr ? "nothing" : json::print(*object);
}

ToolAnswer sample_once(const Call& call) {
  if (const json::Object* const answer = call.input("sample")) {
    const json::Value* const content = answer->find("content");
    const json::Value* const text = content == nullptr ? nullptr : content->find("text");
    return text_result(cat("LLM response: ", text != nullptr && text->is_string()
                                                 ? *text->if_string()
                                                 : printed(answer)));
  }
  json::Array messages;
  messages.emplace_back(json::Object{
      {"role", "user"}, {"content", protocol::text_content(argument(call, "prompt"))}});
  return NeedInput{
      {{"sample", protocol::sample({{"messages", std::move(messages)}, {"maxTokens", 100}})}}};
}

/// Asks one form and repeats the answer.
ToolAnswer ask_form(const Call& call, std::string message, std::string_view schema,
                    std::string_view said) {
  if (const json::Object* const answer = call.input("form")) {
    const json::Value* const action = answer->find("action");
    const json::Value* const content = answer->find("content");
    return text_result(cat(said, "action=", action == nullptr ? "null" : json::print(*action),
                           ", content=", content == nullptr ? "null" : json::print(*content)));
  }
  const json::Value parsed = MUST(json::parse(schema));  // a literal below
  return NeedInput{{{"form", protocol::elicit_form(std::move(message), *parsed.if_object())}}};
}

constexpr std::string_view user_form = R"({"type":"object","properties":{
    "username":{"type":"string","description":"User's response"},
    "email":{"type":"string","description":"User's email address"}},
    "required":["username","email"]})";

constexpr std::string_view defaults_form = R"({"type":"object","properties":{
    "name":{"type":"string","description":"User name","default":"John Doe"},
    "age":{"type":"integer","description":"User age","default":30},
    "score":{"type":"number","description":"User score","default":95.5},
    "status":{"type":"string","description":"User status",
              "enum":["active","inactive","pending"],"default":"active"},
    "verified":{"type":"boolean","description":"Whether verified","default":true}}})";

constexpr std::string_view enums_form = R"({"type":"object","properties":{
    "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
    "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},
        {"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
    "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],
        "enumNames":["Option One","Option Two","Option Three"]},
    "untitledMulti":{"type":"array","items":{"type":"string",
        "enum":["option1","option2","option3"]}},
    "titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},
        {"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}})";

}  // namespace

std::vector<protocol::Tool> legacy_question_tools() {
  return {
      tool_with("test_sampling", "Asks the client's model.",
                R"({"type":"object","properties":{"prompt":{"type":"string",
                    "description":"What to ask the model."}},"required":["prompt"]})",
                sample_once),
      tool_with("test_elicitation", "Asks the user for a name and an address.",
                R"({"type":"object","properties":{"message":{"type":"string",
                    "description":"What to tell the user."}},"required":["message"]})",
                [](const Call& call) {
                  return ask_form(call, argument(call, "message"), user_form, "User response: ");
                }),
      tool("test_elicitation_sep1034_defaults", "Asks with a default for every kind of field.",
           [](const Call& call) {
             return ask_form(call, "Please review the defaults", defaults_form,
                             "Elicitation completed: ");
           }),
      tool("test_elicitation_sep1330_enums", "Asks with every kind of choice.",
           [](const Call& call) {
             return ask_form(call, "Please choose", enums_form, "Elicitation completed: ");
           }),
  };
}

}  // namespace baton::conformance
