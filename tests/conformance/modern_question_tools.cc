// Tools that ask through their result, as modern clients are asked, with and without a kept state.

#include "base/text/text.h"
#include "conformance/fixtures.h"
#include "conformance/parts.h"
#include "protocol/testing/blocks.h"

namespace baton::conformance {
namespace {

using protocol::Call;
using protocol::InputRequest;
using protocol::NeedInput;
using protocol::ToolAnswer;

/// A field of an accepted form, or nothing.
std::string field(const Call& call, std::string_view key, std::string_view name) {
  const json::Object* const answer = call.input(key);
  const json::Value* const content = answer == nullptr ? nullptr : answer->find("content");
  const json::Value* const found = content == nullptr ? nullptr : content->find(name);
  return found != nullptr && found->is_string() ? *found->if_string() : std::string{};
}

InputRequest ask_model(std::string question, std::int64_t tokens) {
  json::Array messages;
  messages.emplace_back(
      json::Object{{"role", "user"}, {"content", protocol::text_content(std::move(question))}});
  return protocol::sample({{"messages", std::move(messages)}, {"maxTokens", tokens}});
}

InputRequest ask_name() { return ask_for("What is your name?", "name", "string"); }

/// Asks `request` under `key` until an answer is there, then says it.
protocol::ToolHandler ask_once(std::string key, InputRequest request, std::string said) {
  return [key, request, said](const Call& call) -> ToolAnswer {
    const json::Object* const answer = call.input(key);
    if (answer == nullptr) return NeedInput{{{key, request}}};
    return text_result(cat(said, json::print(*answer)));
  };
}

ToolAnswer greet(const Call& call) {
  if (call.input("user_name") == nullptr) return NeedInput{{{"user_name", ask_name()}}};
  return text_result(cat("Hello, ", field(call, "user_name", "name"), '!'));
}

/// Continues only with the state that it issued.
protocol::ToolHandler confirm_with_state(std::string state) {
  return [state](const Call& call) -> ToolAnswer {
    if (call.input("confirm") == nullptr || call.state != json::Value(state)) {
      return NeedInput{{{"confirm", ask_for("Please confirm", "ok", "boolean")}}, state};
    }
    return text_result("state-ok");
  };
}

ToolAnswer ask_three_at_once(const Call& call) {
  if (call.input("user_name") == nullptr || call.input("greeting") == nullptr ||
      call.input("client_roots") == nullptr) {
    return NeedInput{{{"user_name", ask_name()},
                      {"greeting", ask_model("Generate a greeting", 50)},
                      {"client_roots", protocol::list_roots()}},
                     "three questions"};
  }
  return text_result(cat("All three answered, by ", field(call, "user_name", "name"), '.'));
}

ToolAnswer ask_twice(const Call& call) {
  if (call.input("step1") == nullptr) {
    return NeedInput{{{"step1", ask_for("Step 1: What is your name?", "name", "string")}}, 1};
  }
  if (call.input("step2") == nullptr) {
    return NeedInput{
        {{"step2", ask_for("Step 2: What is your favorite color?", "color", "string")}}, 2};
  }
  return text_result(
      cat(field(call, "step1", "name"), " likes ", field(call, "step2", "color"), '.'));
}

/// Asks only for what the client said it can give.
ToolAnswer ask_what_is_offered(const Call& call) {
  NeedInput need;
  const auto offer = [&](std::string key, InputRequest request) {
    if (call.input(key) == nullptr &&
        protocol::declares(call.client_capabilities, protocol::capabilities_for(request))) {
      need.requests.emplace(std::move(key), std::move(request));
    }
  };
  offer("user_name", ask_name());
  offer("capital", ask_model("What is the capital of France?", 100));
  offer("client_roots", protocol::list_roots());
  if (!need.requests.empty()) return need;
  return text_result("Nothing is left to ask.");
}

}  // namespace

std::vector<protocol::Tool> modern_question_tools() {
  return {
      tool("test_input_required_result_elicitation", "Asks the user for a name.", greet),
      tool("test_streaming_elicitation", "Asks the user for a name, through its result.", greet),
      tool("test_input_required_result_sampling", "Asks the client's model.",
           ask_once("capital_question", ask_model("What is the capital of France?", 100),
                    "The model says: ")),
      tool("test_input_required_result_list_roots", "Asks for the client's roots.",
           ask_once("client_roots", protocol::list_roots(), "The roots: ")),
      tool("test_input_required_result_request_state", "Asks, and keeps a state meanwhile.",
           confirm_with_state("kept")),
      tool("test_input_required_result_multiple_inputs", "Asks three things at once.",
           ask_three_at_once),
      tool("test_input_required_result_multi_round", "Asks twice, one after the other.", ask_twice),
      tool("test_input_required_result_tampered_state", "Refuses a state that was changed.",
           confirm_with_state("untouched")),
      tool("test_input_required_result_capabilities", "Asks what the client offers, no more.",
           ask_what_is_offered),
  };
}

}  // namespace baton::conformance
