#include "protocol/conversation.h"

#include <cmath>

#include "base/core/sha256.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

/// Turns reports into progress notifications, which must grow.
class Reporter {
 public:
  Reporter(json::Value token, Version version, CallHost& host)
      : token_(std::move(token)), version_(version), host_(host) {}

  void operator()(const Progress& progress) {
    if (!std::isfinite(progress.done) || (last_ && progress.done <= *last_)) return;
    last_ = progress.done;
    json::Object params{{"progressToken", token_}, {"progress", progress.done}};
    if (progress.total && std::isfinite(*progress.total)) {
      params.append_new("total", *progress.total);
    }
    if (version_ >= Version::v2025_03_26 && !progress.message.empty()) {
      params.append_new("message", progress.message);
    }
    host_.send(encode_notification("notifications/progress", std::move(params)));
  }

 private:
  json::Value token_;
  Version version_;
  CallHost& host_;
  std::optional<double> last_;
};

void send_log(CallHost& host, LogLevel least, const LogMessage& message) {
  if (message.level < least) return;
  json::Object params{{"level", name_of(message.level)}};
  if (!message.logger.empty()) params.append_new("logger", message.logger);
  params.append_new("data", message.data);
  host.send(encode_notification("notifications/message", std::move(params)));
}

/// Equal for calls that ask the same, however their arguments are spelled.
std::string digest_of(const json::Object& params) {
  const json::Value* const arguments = params.find("arguments");
  const json::Value given =
      arguments == nullptr || arguments->is_null() ? json::Value(json::Object{}) : *arguments;
  const Result<std::string> canonical = json::canonical(given);
  return sha256(canonical ? *canonical : json::print(given)).hex();
}

RpcError bad_state() {
  return invalid_params(
      "requestState was not issued for this call, or it is too old. "
      "Make the call again without it.");
}

}  // namespace

Call make_call(const RequestContext& context, CallHost& host) {
  Call call;
  call.principal = context.principal;
  call.version = context.version;
  call.client_capabilities = context.client_capabilities;
  call.trace = context.trace;
  call.cancelled = [&host] { return host.cancelled(); };
  if (context.progress_token)
    call.report = Reporter(*context.progress_token, context.version, host);
  if (context.log_level) {
    call.log = [&host, least = *context.log_level](const LogMessage& message) {
      send_log(host, least, message);
    };
  }
  call.close_stream = [&host] { host.close_stream(); };
  return call;
}

std::optional<RpcError> unanswerable(const NeedInput& need, const json::Object& capabilities) {
  json::Object missing;
  for (const auto& [key, request] : need.requests) {
    const json::Object needed = capabilities_for(request);
    if (declares(capabilities, needed)) continue;
    for (const auto& [name, value] : needed) missing.set(name, value);
  }
  if (missing.empty()) return std::nullopt;
  std::string names;
  for (const auto& [name, value] : missing) names += cat(names.empty() ? "" : ", ", name);
  return missing_capability(std::move(missing),
                            cat("This call must ask the client, which does not support: ", names,
                                ". Send the answer as an argument, if the tool has one for it."));
}

std::expected<Conversation, RpcError> Conversation::open(const Responder& responder, CallHost& host,
                                                         std::string_view method,
                                                         std::string_view subject,
                                                         const json::Object& params) {
  Conversation opened(responder, host);
  opened.subject_ = subject;
  opened.call_ = make_call(responder.context, host);
  if (!responder.context.modern()) return opened;
  opened.binding_ =
      cat(responder.context.principal, '\n', method, '\n', subject, '\n', digest_of(params));
  if (auto taken = opened.take_answers(params); !taken) return std::unexpected(taken.error());
  return opened;
}

std::expected<void, RpcError> Conversation::take_answers(const json::Object& params) {
  if (const json::Value* const state = params.find("requestState")) {
    const auto& sealer = responder_->catalog().sealer;
    if (!state->is_string() || !sealer) return std::unexpected(bad_state());
    const Result<std::string> opened = sealer->open(*state->if_string(), binding_);
    if (!opened) return std::unexpected(bad_state());
    const Result<json::Value> kept = json::parse(*opened);
    if (!kept) return std::unexpected(bad_state());
    if (const json::Value* const inputs = kept->find("inputs"); inputs && inputs->is_object()) {
      call_.inputs = *inputs->if_object();
    }
    if (const json::Value* const own = kept->find("state")) call_.state = *own;
  }
  if (const json::Value* const given = params.find("inputResponses")) {
    if (!given->is_object()) {
      return std::unexpected(invalid_params("params.inputResponses must be an object."));
    }
    // What is malformed was not given: the handler asks for it again.
    for (const auto& [key, answer] : *given->if_object()) {
      if (is_answer(answer)) call_.inputs.set(key, answer);
    }
  }
  return {};
}

std::optional<WorkResult> Conversation::ask(NeedInput& need) {
  if (auto problem = unanswerable(need, responder_->context.client_capabilities)) {
    return responder_->refuse(std::move(*problem));
  }
  if (responder_->context.modern()) return ask_by_result(need);
  if (auto answered = ask_client(need); !answered) return responder_->refuse(answered.error());
  return std::nullopt;
}

WorkResult Conversation::ask_by_result(NeedInput& need) {
  json::Object result;
  if (!need.requests.empty()) result.append_new("inputRequests", to_json(need.requests));
  if (!need.state.is_null() || !call_.inputs.empty() || need.requests.empty()) {
    const auto& sealer = responder_->catalog().sealer;
    ASSERT(sealer != nullptr);
    const json::Object kept{{"state", std::move(need.state)}, {"inputs", call_.inputs}};
    Result<std::string> sealed = sealer->seal(json::print(kept), binding_);
    if (!sealed) return responder_->refuse(internal_error(sealed.error()));
    result.append_new("requestState", std::move(*sealed));
  }
  return responder_->result(std::move(result), "input_required");
}

std::expected<void, RpcError> Conversation::ask_client(NeedInput& need) {
  for (auto& [key, request] : need.requests) {
    if (responder_->context.version < Version::v2025_11_25) request.params.erase("elicitationId");
    auto answer = host_->ask(request.method, std::move(request.params));
    // A client that declares forms and shows none leaves the call where a closed form does.
    const bool is_form = request.method == "elicitation/create";
    if (is_form && (!answer || !is_answer(*answer))) {
      call_.inputs.set(key, json::Object{{"action", "cancel"}});
      continue;
    }
    if (!answer) {
      return std::unexpected(RpcError{
          RpcCode::internal_error,
          cat("The client did not answer ", request.method, ": ", shown(answer.error().message))});
    }
    if (is_answer(*answer)) call_.inputs.set(key, std::move(*answer));
  }
  call_.state = std::move(need.state);
  return {};
}

RpcError Conversation::asked_too_often() {
  return {RpcCode::internal_error,
          cat("The call asked more than ", limits::input_rounds_max, " times.")};
}

}  // namespace baton::protocol
