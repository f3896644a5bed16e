#include "surface/ask_user.h"

#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "run/steps/behaviour.h"

namespace baton::surface {
namespace {

using json::Object;
using json::Value;

std::string_view text_in(const Object& object, std::string_view key) {
  const Value* found = object.find(key);
  return found != nullptr && found->is_string() ? std::string_view(*found->if_string()) : "";
}

/// The choices as texts, which is all that a form has.
json::Array texts_of(const json::Array& choices) {
  json::Array out;
  for (const Value& each : choices) {
    out.emplace_back(each.is_string() ? *each.if_string() : json::print(each));
  }
  return out;
}

/// One field of a form. Rules that forms do not have are checked when the answer is there.
Object field_of(const Object& definition) {
  Object out{{"title", "Answer"}};
  const std::string_view type = text_in(definition, "input_type");
  const Value* choices = definition.find("choices");
  const bool is_choice = choices != nullptr && choices->is_array();
  out.set("type", is_choice || type == "choice" || type.empty() ? "string" : type);
  if (is_choice) out.set("enum", texts_of(*choices->if_array()));
  const Value* rules = definition.find("validation");
  if (rules == nullptr) return out;
  if (const Value* words = rules->find("error_message")) out.set("description", *words);
  constexpr std::pair<std::string_view, std::string_view> names[] = {{"min", "minimum"},
                                                                     {"max", "maximum"},
                                                                     {"min_length", "minLength"},
                                                                     {"max_length", "maxLength"}};
  for (const auto& [ours, theirs] : names) {
    if (const Value* found = rules->find(ours)) out.set(theirs, *found);
  }
  return out;
}

protocol::InputRequest form_of(const run::Pending& pending) {
  const Object& definition = pending.definition;
  std::string message(text_in(definition, "prompt"));
  if (const auto more = text_in(definition, "instructions"); !more.empty()) {
    message += cat("\n\n", more);
  }
  Object form{{"type", "object"}, {"properties", Object{{"answer", field_of(definition)}}}};
  if (!definition.contains("default")) form.set("required", json::Array{"answer"});
  return protocol::elicit_form(std::move(message), std::move(form));
}

}  // namespace

UserAnswer ask_user(const protocol::Call& call, const run::Reply& reply) {
  const bool asks = reply.pending && run::behaviour_of(reply.pending->kind).asks_user &&
                    reply.preferences.autonomy != run::Autonomy::full_auto_never_stop;
  if (!asks) return {};
  const protocol::InputRequest form = form_of(*reply.pending);
  if (!protocol::declares(call.client_capabilities, protocol::capabilities_for(form))) return {};
  // Another point of the run is another question, also when it asks the same again.
  const std::string key = cat("answer-", reply.state.node.text());
  const Object* response = call.input(key);
  if (response == nullptr) return {.question = protocol::NeedInput{{{key, form}}}};
  if (text_in(*response, "action") != "accept") return {};
  run::StepInput input;
  const Value* content = response->find("content");
  const Value* answer = content == nullptr ? nullptr : content->find("answer");
  if (answer != nullptr) {
    input.notes = answer->is_string() ? *answer->if_string() : json::print(*answer);
    input.artifacts = {Object{{"kind", run::result_kind}, {"value", *answer}}};
  }
  return {.question = {}, .answer = std::move(input)};
}

}  // namespace baton::surface
