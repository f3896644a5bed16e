#pragma once
// One call in progress: what a handler of a tool, a prompt or a resource is given, what it may
// give back, and the transport's end of it.
//
// A handler is written once for both eras: when it needs an answer from the user or the client it
// returns NeedInput and is called again with `inputs` and `state`. A modern client is asked by the
// result, a legacy one by a request of ours; the handler sees no difference.

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "protocol/message.h"
#include "protocol/version.h"

namespace baton::protocol {

/// The transport's end of one running call. Used by the thread that runs the call.
class CallHost {
 public:
  virtual ~CallHost() = default;
  virtual bool cancelled() const = 0;
  /// `line` is one encoded message. Nothing is sent once the call is cancelled.
  virtual void send(std::string_view line) = 0;
  /// A legacy request to the client: sends it and waits for the answer, the call's cancellation or
  /// limits::client_answer_ms_max. The transport chooses the id. Never used in the modern era.
  virtual std::expected<json::Value, RpcError> ask(std::string_view method,
                                                   json::Object params) = 0;
  /// Legacy HTTP: ends the stream now; the client fetches the answer by resuming. Elsewhere
  /// nothing.
  virtual void close_stream() = 0;
};

struct Progress {
  double done = 0;  // must grow from report to report; others are dropped
  std::optional<double> total = {};
  std::string message = {};
};

struct LogMessage {
  LogLevel level = LogLevel::info;
  json::Value data = {};
  std::string logger = {};
};

/// One thing asked of the client: elicitation/create, sampling/createMessage or roots/list.
struct InputRequest {
  std::string method;
  json::Object params;

  bool operator==(const InputRequest&) const = default;
};

/// By a key of the handler's choice, unique among all that one call or task asks.
using InputRequests = std::map<std::string, InputRequest, std::less<>>;
json::Object to_json(const InputRequests& requests);

InputRequest elicit_form(std::string message, json::Object schema);

/// The capabilities a client must declare to be asked this: {"elicitation":{"url":{}}}.
json::Object capabilities_for(const InputRequest& request);

/// Whether `declared` has everything that `needed` names. An elicitation capability without modes
/// means forms.
bool declares(const json::Object& declared, const json::Object& needed);

/// Whether this can be the answer to one of those. Whether its content fits is for the handler.
bool is_answer(const json::Value& value);

/// What a handler is given.
struct Call {
  json::Object arguments = {};  // of a tool or prompt; the variables of a resource template
  std::string uri = {};         // of a resource
  std::string principal = "local";
  Version version = newest_legacy_version;
  json::Object client_capabilities = {};
  json::Object trace = {};   // traceparent, tracestate, baggage as the client sent them
  json::Object inputs = {};  // key to answer, for what an earlier NeedInput asked
  json::Value state = {};    // what that NeedInput kept
  std::function<bool()> cancelled = [] { return false; };
  std::function<void(const Progress&)> report = [](const Progress&) {};
  std::function<void(const LogMessage&)> log = [](const LogMessage&) {};
  std::function<void()> close_stream = [] {};

  /// The answer under `key` when it is an object, else nullptr.
  const json::Object* input(std::string_view key) const;
};

/// The handler cannot continue without answers. `state` travels through the client, sealed; without
/// `requests` it alone asks for the call to be made again.
struct NeedInput {
  InputRequests requests;
  json::Value state = {};
};

/// The refusal of a call whose client lacks `needed`, a ClientCapabilities object.
RpcError missing_capability(json::Object needed, std::string message);

}  // namespace baton::protocol
