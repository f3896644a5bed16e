#pragma once
// Conversation: one call of a handler that may ask the client back, in the way of the caller's era.
// A modern client gets the questions as a result and makes the call again; a legacy one is asked
// while the call waits. The handler sees every answer of the whole conversation in Call::inputs.
//
// Private to the protocol room. Used by the one thread that runs the call.

#include <exception>
#include <expected>
#include <functional>
#include <string>
#include <variant>

#include "base/text/text.h"
#include "protocol/methods/methods.h"

namespace baton::protocol {

class Conversation {
 public:
  /// `subject` is what is called: a name or a URI. Fails on answers or a state that cannot be
  /// taken. REQUIRES: the responder and the host outlive it.
  static std::expected<Conversation, RpcError> open(const Responder& responder, CallHost& host,
                                                    std::string_view method,
                                                    std::string_view subject,
                                                    const json::Object& params);

  Call& call() { return call_; }

  /// The handler's result, or what to answer instead of one.
  template <class R>
  std::expected<R, WorkResult> run(
      const std::function<std::variant<R, NeedInput, RpcError>(const Call&)>& handler) {
    for (std::size_t round = 0; round < limits::input_rounds_max; ++round) {
      std::variant<R, NeedInput, RpcError> answer = guarded<R>(handler);
      if (R* const result = std::get_if<R>(&answer)) return std::move(*result);
      if (RpcError* const error = std::get_if<RpcError>(&answer)) {
        return std::unexpected(responder_->refuse(std::move(*error)));
      }
      if (auto stop = ask(std::get<NeedInput>(answer))) return std::unexpected(std::move(*stop));
    }
    return std::unexpected(responder_->refuse(asked_too_often()));
  }

  /// Asks what `need` says. Nothing when the answers are there and the handler may continue.
  std::optional<WorkResult> ask(NeedInput& need);

 private:
  Conversation(const Responder& responder, CallHost& host) : responder_(&responder), host_(&host) {}

  // Handlers do not throw; should one, its caller learns of it and the other calls continue.
  template <class R>
  std::variant<R, NeedInput, RpcError> guarded(
      const std::function<std::variant<R, NeedInput, RpcError>(const Call&)>& handler) {
    try {
      return handler(call_);
    } catch (const std::exception& defect) {
      return RpcError{RpcCode::internal_error,
                      cat(subject_, " failed inside Baton: ", defect.what())};
    }
  }

  static RpcError asked_too_often();
  std::expected<void, RpcError> take_answers(const json::Object& params);
  WorkResult ask_by_result(NeedInput& need);
  std::expected<void, RpcError> ask_client(NeedInput& need);

  const Responder* responder_;
  CallHost* host_;
  std::string subject_;
  std::string binding_;  // what a sealed state belongs to
  Call call_;
};

/// The refusal of questions that the client did not say it can answer, or nothing.
std::optional<RpcError> unanswerable(const NeedInput& need, const json::Object& capabilities);

/// What every handler is given.
Call make_call(const RequestContext& context, CallHost& host);

}  // namespace baton::protocol
