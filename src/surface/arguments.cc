#include "surface/arguments.h"

namespace baton::surface {

json::Value schema(std::string_view text) {
  // The text is a constant of ours, and every tool's schema is parsed by the tests.
  return MUST(json::parse(text));
}

engine::Principal principal_of(const protocol::Call& call) {
  static const json::Object forms = protocol::capabilities_for(protocol::elicit_form({}, {}));
  return {call.principal, protocol::declares(call.client_capabilities, forms)};
}

std::optional<std::string> text_argument(const json::Object& arguments, std::string_view key) {
  const json::Value* value = arguments.find(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return *value->if_string();
}

json::Object object_argument(const json::Object& arguments, std::string_view key) {
  const json::Value* value = arguments.find(key);
  if (value == nullptr || !value->is_object()) return {};
  return *value->if_object();
}

run::PreferencesDelta preferences_argument(const json::Object& arguments) {
  const json::Object preferences = object_argument(arguments, "preferences");
  run::PreferencesDelta delta;
  if (const auto name = text_argument(preferences, "autonomy")) {
    delta.autonomy = run::from_name<run::Autonomy>(*name);
  }
  if (const auto name = text_argument(preferences, "riskPolicy")) {
    delta.risk_policy = run::from_name<run::RiskPolicy>(*name);
  }
  return delta;
}

run::Budget budget_argument(const json::Object& arguments) {
  const json::Object budget = object_argument(arguments, "budget");
  const auto limit = [&](std::string_view key) {
    const json::Value* found = budget.find(key);
    const std::int64_t* number = found == nullptr ? nullptr : found->if_int();
    return number == nullptr ? 0 : *number;
  };
  return {.steps = limit("steps"),
          .minutes = limit("minutes"),
          .attempts = limit("attempts"),
          .bytes = limit("bytes"),
          .tokens = limit("tokens")};
}

run::StepInput input_arguments(const json::Object& arguments) {
  const json::Object output = object_argument(arguments, "output");
  run::StepInput input;
  input.notes = text_argument(output, "notesMarkdown");
  if (const json::Value* artifacts = output.find("artifacts");
      artifacts != nullptr && artifacts->is_array()) {
    input.artifacts = *artifacts->if_array();
  }
  input.context = object_argument(arguments, "context");
  input.preferences = preferences_argument(arguments);
  for (const std::string_view key : {"tokensUsed", "tokens_used"}) {
    const json::Value* tokens = arguments.find(key);
    if (tokens != nullptr && tokens->if_int() != nullptr) input.tokens_used = *tokens->if_int();
  }
  return input;
}

std::optional<NamedTask> named_task(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (!text.starts_with("run_") || slash == text.npos) return std::nullopt;
  return NamedTask{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

}  // namespace baton::surface
