#include "protocol/call.h"

#include <utility>

namespace baton::protocol {
namespace {

bool has_all(const json::Value& declared, const json::Value& needed) {
  const json::Object* const wanted = needed.if_object();
  if (wanted == nullptr) return true;
  const json::Object* const given = declared.if_object();
  if (given == nullptr) return false;
  for (const auto& [key, value] : *wanted) {
    const json::Value* const found = given->find(key);
    if (found == nullptr || !has_all(*found, value)) return false;
  }
  return true;
}

}  // namespace

InputRequest elicit_form(std::string message, json::Object schema) {
  return {"elicitation/create",
          {{"message", std::move(message)}, {"requestedSchema", std::move(schema)}}};
}

json::Object capabilities_for(const InputRequest& request) {
  if (request.method == "roots/list") return {{"roots", json::Object{}}};
  if (request.method == "sampling/createMessage") {
    json::Object sampling;
    if (request.params.contains("tools")) sampling.append_new("tools", json::Object{});
    return {{"sampling", std::move(sampling)}};
  }
  const bool url = request.params.contains("url");
  return {{"elicitation", json::Object{{url ? "url" : "form", json::Object{}}}}};
}

bool declares(const json::Object& declared, const json::Object& needed) {
  json::Object effective = declared;
  if (json::Value* const elicitation = effective.find("elicitation")) {
    json::Object* const modes = elicitation->if_object();
    if (modes != nullptr && modes->empty()) modes->append_new("form", json::Object{});
  }
  return has_all(effective, needed);
}

bool is_answer(const json::Value& value) {
  const auto is = [&](std::string_view key, json::Type type) {
    const json::Value* const found = value.find(key);
    return found != nullptr && found->type() == type;
  };
  if (is("roots", json::Type::array)) return true;
  if (is("role", json::Type::string)) return value.find("content") != nullptr;
  if (value.find("content") != nullptr && !is("content", json::Type::object)) return false;
  const json::Value* const action = value.find("action");
  return action != nullptr &&
         (*action == json::Value("accept") || *action == json::Value("decline") ||
          *action == json::Value("cancel"));
}

const json::Object* Call::input(std::string_view key) const {
  const json::Value* const found = inputs.find(key);
  return found == nullptr ? nullptr : found->if_object();
}

RpcError missing_capability(json::Object needed, std::string message) {
  return {RpcCode::missing_client_capability, std::move(message),
          json::Object{{"requiredCapabilities", std::move(needed)}}};
}

json::Object to_json(const InputRequests& requests) {
  json::Object out;
  for (const auto& [key, request] : requests) {
    json::Object params = request.params;
    params.erase("elicitationId");  // only legacy clients hear of a completion
    out.append_new(key, json::Object{{"method", request.method}, {"params", std::move(params)}});
  }
  return out;
}

}  // namespace baton::protocol
