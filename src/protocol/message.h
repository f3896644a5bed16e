#pragma once
// One JSON-RPC 2.0 message: text to value and back. Strict about the envelope: exact member names,
// no duplicates, ids that are strings or integers.
//
// Values only; no owner, any thread.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json/json.h"

namespace baton::protocol {

/// Echoed with the type it came with: 1 and "1" are different ids.
using RequestId = std::variant<std::int64_t, std::string>;

json::Value to_json(const RequestId& id);

/// Nothing for null, fractions and every other type.
std::optional<RequestId> request_id_from(const json::Value& value);

/// The codes Baton may put into a JSON-RPC error.
enum class RpcCode : std::int32_t {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  resource_not_found = -32002,  // before 2026-07-28; since then invalid_params
  header_mismatch = -32020,
  missing_client_capability = -32021,
  unsupported_protocol_version = -32022,
};

/// Some clients show the model nothing but `message`, so it names the remedy.
struct RpcError {
  RpcCode code = RpcCode::internal_error;
  std::string message = {};
  json::Value data = {};  // null: left out

  bool operator==(const RpcError&) const = default;
};
json::Object to_json(const RpcError& error);

/// An error for the caller with the id it belongs to, where that could be read.
struct Fault {
  std::optional<RequestId> id;
  RpcError error;
};

struct Request {
  RequestId id;
  std::string method;
  json::Object params;
};

struct Notification {
  std::string method;
  json::Object params;
};

/// The answer to a request of ours.
struct Response {
  RequestId id;
  json::Value body;  // the result, or the error object
  bool is_error = false;
};

using Message = std::variant<Request, Notification, Response>;

std::expected<Message, Fault> decode(std::string_view text);

/// What arrived at once: one message, or a batch, which only revision 2025-03-26 knows.
struct Incoming {
  std::vector<std::expected<Message, Fault>> messages;  // one unless `batch`
  bool batch = false;
};

/// The server decides whether it accepts a batch. An empty one is one fault.
Incoming decode_incoming(std::string_view text);

// Each gives one line of JSON without its line feed.
std::string encode_result(const RequestId& id, json::Object result);
std::string encode_error(const std::optional<RequestId>& id, const RpcError& error);
std::string encode_notification(std::string_view method, json::Object params);
std::string encode_request(const RequestId& id, std::string_view method, json::Object params);

/// The answer to a message that was not read because it is longer than limits::message_bytes_max.
std::string encode_oversized_message();

}  // namespace baton::protocol
