#include "protocol/message.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

constexpr std::string_view envelope_keys[] = {"jsonrpc", "id",     "method",
                                              "params",  "result", "error"};

std::unexpected<Fault> refuse(std::optional<RequestId> id, RpcCode code, std::string message) {
  return std::unexpected(Fault{std::move(id), {code, std::move(message)}});
}

/// What is wrong with the member names, or nothing.
std::optional<std::string> bad_key(const json::Object& envelope) {
  for (const auto& [key, value] : envelope) {
    if (std::ranges::find(envelope_keys, key) != std::end(envelope_keys)) continue;
    const auto near = nearest(key, envelope_keys);
    return cat("A JSON-RPC message has no member ", in_quotes(key), '.',
               near ? cat(" Did you mean '", *near, "'?") : std::string{});
  }
  return std::nullopt;
}

std::expected<Message, Fault> decode_call(json::Object& envelope, std::optional<RequestId> id) {
  if (envelope.contains("result") || envelope.contains("error")) {
    return refuse(std::move(id), RpcCode::invalid_request,
                  "A message has either 'method' or an answer ('result' or 'error'), not both.");
  }
  std::string* const method = envelope.find("method")->if_string();
  if (method == nullptr) {
    return refuse(std::move(id), RpcCode::invalid_request, "'method' must be a string.");
  }
  json::Object params;
  if (json::Value* given = envelope.find("params"); given != nullptr && !given->is_null()) {
    if (!given->is_object()) {
      return refuse(std::move(id), RpcCode::invalid_params,
                    cat("'params' must be an object, not ", json::name_of(given->type()), '.'));
    }
    params = std::move(*given->if_object());
  }
  if (!id) return Notification{std::move(*method), std::move(params)};
  return Request{std::move(*id), std::move(*method), std::move(params)};
}

std::expected<Message, Fault> decode_answer(json::Object& envelope, std::optional<RequestId> id) {
  json::Value* const result = envelope.find("result");
  json::Value* const error = envelope.find("error");
  if ((result == nullptr) == (error == nullptr) || envelope.contains("params")) {
    return refuse(std::move(id), RpcCode::invalid_request,
                  "A message needs 'method', or exactly one of 'result' and 'error'.");
  }
  if (!id) {
    return refuse(std::nullopt, RpcCode::invalid_request, "An answer needs the id it is for.");
  }
  return Response{std::move(*id), std::move(error != nullptr ? *error : *result), error != nullptr};
}

}  // namespace

json::Value to_json(const RequestId& id) {
  return std::visit([](const auto& value) { return json::Value(value); }, id);
}

std::optional<RequestId> request_id_from(const json::Value& value) {
  if (const auto* number = value.if_int()) return RequestId(*number);
  if (const auto* text = value.if_string()) return RequestId(*text);
  return std::nullopt;
}

namespace {

std::expected<Message, Fault> decode_value(json::Value& value) {
  if (value.is_array()) {
    return refuse(std::nullopt, RpcCode::invalid_request,
                  "Batches are not supported: send each message by itself.");
  }
  json::Object* const envelope = value.if_object();
  if (envelope == nullptr) {
    return refuse(std::nullopt, RpcCode::invalid_request, "A message must be a JSON object.");
  }
  std::optional<RequestId> id;
  if (const json::Value* given = envelope->find("id")) {
    id = request_id_from(*given);
    if (!id) {
      return refuse(std::nullopt, RpcCode::invalid_request,
                    "An id must be a string or a 64-bit integer.");
    }
    // Ids are kept for as long as something is listened to.
    const std::string* const text = std::get_if<std::string>(&*id);
    if (text != nullptr && text->size() > limits::request_id_bytes_max) {
      return refuse(std::nullopt, RpcCode::invalid_request,
                    cat("An id must have at most ", limits::request_id_bytes_max, " bytes."));
    }
  }
  const json::Value* const jsonrpc = envelope->find("jsonrpc");
  if (jsonrpc == nullptr || *jsonrpc != json::Value("2.0")) {
    return refuse(std::move(id), RpcCode::invalid_request, "'jsonrpc' must be \"2.0\".");
  }
  if (auto problem = bad_key(*envelope)) {
    return refuse(std::move(id), RpcCode::invalid_request, std::move(*problem));
  }
  return envelope->contains("method") ? decode_call(*envelope, std::move(id))
                                      : decode_answer(*envelope, std::move(id));
}

std::unexpected<Fault> unreadable(const Error& error) {
  return refuse(std::nullopt, RpcCode::parse_error,
                cat("The message cannot be read: ", error.message));
}

}  // namespace

std::expected<Message, Fault> decode(std::string_view text) {
  Result<json::Value> parsed = json::parse(text);
  if (!parsed) return unreadable(parsed.error());
  return decode_value(*parsed);
}

Incoming decode_incoming(std::string_view text) {
  Result<json::Value> parsed = json::parse(text);
  Incoming incoming;
  if (!parsed) {
    incoming.messages.push_back(unreadable(parsed.error()));
  } else if (json::Array* const batch = parsed->if_array(); batch != nullptr && !batch->empty()) {
    incoming.batch = true;
    for (json::Value& each : *batch) {
      incoming.messages.push_back(decode_value(each));
      // One that is too long is refused whole, so that the rest of it need not be read.
      if (incoming.messages.size() > limits::batch_messages_max) break;
    }
  } else {
    incoming.messages.push_back(decode_value(*parsed));
  }
  return incoming;
}

std::string encode_result(const RequestId& id, json::Object result) {
  // By hand, because every answer goes this way and a result can be large.
  constexpr std::size_t bytes_expected = 256;
  std::string line;
  line.reserve(bytes_expected);
  line += R"({"jsonrpc":"2.0","id":)";
  json::print_to(line, to_json(id));
  line += R"(,"result":)";
  json::print_to(line, std::move(result));
  line += '}';
  return line;
}

std::string encode_error(const std::optional<RequestId>& id, const RpcError& error) {
  json::Object body{{"code", static_cast<std::int32_t>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) body.append_new("data", error.data);
  json::Object out{{"jsonrpc", "2.0"}};
  // MCP knows no id of null: an error without a readable id has none.
  if (id) out.append_new("id", to_json(*id));
  out.append_new("error", std::move(body));
  return json::print(std::move(out));
}

std::string encode_notification(std::string_view method, json::Object params) {
  return json::print(
      json::Object{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

std::string encode_request(const RequestId& id, std::string_view method, json::Object params) {
  return json::print(json::Object{
      {"jsonrpc", "2.0"}, {"id", to_json(id)}, {"method", method}, {"params", std::move(params)}});
}

std::string encode_oversized_message() {
  return encode_error(
      std::nullopt,
      {RpcCode::invalid_request,
       cat("A message of more than ", limits::message_bytes_max,
           " bytes was skipped unread. Send less at once, or send a path instead of the content."),
       {}});
}

json::Object to_json(const RpcError& error) {
  json::Object body{{"code", static_cast<std::int32_t>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) body.append_new("data", error.data);
  return body;
}

}  // namespace baton::protocol
