#include "surface/arguments.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text/text.h"

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

Result<run::Budget> budget_argument(const json::Object& arguments) {
  constexpr std::pair<std::string_view, std::int64_t run::Budget::*> known[] = {
      {"steps", &run::Budget::steps},
      {"minutes", &run::Budget::minutes},
      {"attempts", &run::Budget::attempts},
      {"bytes", &run::Budget::bytes},
      {"tokens", &run::Budget::tokens}};
  run::Budget out;
  for (const json::Member& each : object_argument(arguments, "budget")) {
    const auto* limit =
        std::ranges::find(known, each.key, [](const auto& one) { return one.first; });
    const std::int64_t* most = each.value.if_int();
    if (limit == std::end(known) || most == nullptr || *most < 1) {
      return fail(Code::INVALID_INPUT,
                  cat("budget: \"", each.key,
                      "\" is no limit, or not a whole number from 1 on; "
                      "nothing was started"),
                  "send steps, minutes, attempts, bytes or tokens, each a whole number");
    }
    out.*limit->second = *most;
  }
  return out;
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
