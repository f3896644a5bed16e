#include "protocol/server.h"

#include <algorithm>

#include "base/text/text.h"
#include "protocol/methods/methods.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

enum class Eras : std::uint8_t { legacy, modern, both };

struct Method {
  std::string_view name;
  Eras eras;
  bool (*offered)(const Catalog&);
  SingleAction (*act)(MethodRequest&);
};

bool always(const Catalog&) { return true; }
bool with_resources(const Catalog& catalog) { return !catalog.resources.empty(); }
bool with_prompts(const Catalog& catalog) { return !catalog.prompts.all().empty(); }
bool with_tasks(const Catalog& catalog) { return catalog.tasks != nullptr; }
bool with_logs(const Catalog& catalog) { return catalog.logs; }
bool with_updates(const Catalog& catalog) { return catalog.resources_subscribe; }
bool with_changes(const Catalog& catalog) {
  return catalog.tools_change || catalog.prompts_change || catalog.resources_change ||
         catalog.resources_subscribe || catalog.tasks != nullptr;
}

constexpr Method methods[] = {
    {"completion/complete", Eras::both, completes, complete},
    {"initialize", Eras::legacy, always, initialize},
    {"logging/setLevel", Eras::legacy, with_logs, set_log_level},
    {"ping", Eras::legacy, always, ping},
    {"prompts/get", Eras::both, with_prompts, get_prompt},
    {"prompts/list", Eras::both, with_prompts, list_prompts},
    {"resources/list", Eras::both, with_resources, list_resources},
    {"resources/read", Eras::both, with_resources, read_resource},
    {"resources/subscribe", Eras::legacy, with_updates, subscribe},
    {"resources/templates/list", Eras::both, with_resources, list_resource_templates},
    {"resources/unsubscribe", Eras::legacy, with_updates, unsubscribe},
    {"server/discover", Eras::modern, always, discover},
    {"subscriptions/listen", Eras::modern, with_changes, listen},
    {"tasks/cancel", Eras::modern, with_tasks, cancel_task},
    {"tasks/get", Eras::modern, with_tasks, get_task},
    {"tasks/update", Eras::modern, with_tasks, update_task},
    {"tools/call", Eras::both, always, call_tool},
    {"tools/list", Eras::both, always, list_tools},
};

std::expected<const Method*, RpcError> find_method(const Catalog& catalog, std::string_view name,
                                                   bool modern) {
  const Method* const found = std::ranges::find(methods, name, &Method::name);
  if (found == std::end(methods) || !found->offered(catalog)) {
    return std::unexpected(
        RpcError{RpcCode::method_not_found, cat("There is no method ", in_quotes(name), '.')});
  }
  if (found->eras == Eras::legacy && modern) {
    return std::unexpected(RpcError{
        RpcCode::method_not_found,
        cat("'", name, "' is not part of protocol ", name_of(modern_versions().front()), '.'),
        {}});
  }
  if (found->eras == Eras::modern && !modern) {
    return std::unexpected(
        RpcError{name == "server/discover" ? RpcCode::invalid_params : RpcCode::method_not_found,
                 cat("'", name, "' needs params._meta[\"", meta_key::protocol_version,
                     "\"] and [\"", meta_key::client_capabilities, "\"]."),
                 {}});
  }
  return found;
}

VersionHeader version_header(const Headers* headers) {
  if (headers == nullptr) return {};
  const auto given = (*headers)("MCP-Protocol-Version");
  return {true, given ? *given : std::string_view{}};
}

SingleAction handle(const std::shared_ptr<const Server::Parts>& parts, Request& request,
                    ClientState& connection, const Headers* headers) {
  // A handshake is always legacy, with any header: a client that knows both eras may send it so.
  const bool is_handshake = request.method == "initialize" && !is_modern(request.params);
  auto context = context_of(request.params, connection,
                            is_handshake ? VersionHeader{} : version_header(headers));
  // What a request says of itself comes first, so that everything wrong with it is malformed.
  if (!context) return WireReply{encode_error(request.id, context.error()), 400};
  const bool modern = context->modern();
  MethodRequest method_request{
      {parts, request.id, std::move(*context)}, request.method, {}, connection};
  const auto method = find_method(parts->catalog, request.method, modern);
  if (!method) return reply(method_request.responder.refuse(method.error()));
  if (modern && headers != nullptr) {
    if (const auto agreed = check_headers(*headers, request, parts->catalog.tools); !agreed) {
      return reply(method_request.responder.refuse(agreed.error()));
    }
  }
  method_request.params = std::move(request.params);
  return (*method)->act(method_request);
}

/// What is wrong with the headers of a modern notification, or nothing.
std::optional<RpcError> misheaded(const Notification& notification, const ClientState& connection,
                                  const Headers* headers) {
  if (headers == nullptr) return std::nullopt;
  const VersionHeader header = version_header(headers);
  if (is_modern(notification.params)) {
    const auto context = context_of(notification.params, connection, header);
    if (!context) return context.error();
  } else if (const auto named = version_from(header.value); !named || !is_modern(*named)) {
    return std::nullopt;
  }
  const auto agreed = check_method(*headers, notification.method);
  return agreed ? std::nullopt : std::optional(agreed.error());
}

SingleAction hear(const Notification& notification) {
  if (notification.method != "notifications/cancelled") return NoReply{};
  const json::Value* const given = notification.params.find("requestId");
  if (given == nullptr) return NoReply{};
  auto id = request_id_from(*given);
  if (!id) return NoReply{};
  return Cancel{std::move(*id)};
}

SingleAction action_for(const std::shared_ptr<const Server::Parts>& parts,
                        std::expected<Message, Fault>& message, ClientState& connection,
                        const Headers* headers) {
  if (!message) return WireReply{encode_error(message.error().id, message.error().error), 400};
  if (Request* const request = std::get_if<Request>(&*message)) {
    return handle(parts, *request, connection, headers);
  }
  if (const Notification* const heard = std::get_if<Notification>(&*message)) {
    const auto problem = misheaded(*heard, connection, headers);
    if (problem) return WireReply{encode_error(std::nullopt, *problem), 400};
    return hear(*heard);
  }
  return Answered{std::move(std::get<Response>(*message))};
}

/// Why a message cannot be in a batch, or nothing.
std::string_view unfit_for_batch(const Message& message) {
  const Request* const request = std::get_if<Request>(&message);
  if (request == nullptr) return {};
  if (request->method == "initialize") return "'initialize' cannot be part of a batch.";
  if (is_modern(request->params)) return "A request with its own version cannot be batched.";
  return {};
}

Action batch_of(const std::shared_ptr<const Server::Parts>& parts, Incoming& incoming,
                ClientState& connection) {
  const bool known = connection.initialized && connection.legacy_version == Version::v2025_03_26;
  const auto refuse = [](std::optional<RequestId> id, std::string message) {
    return WireReply{encode_error(id, {RpcCode::invalid_request, std::move(message)}), 400};
  };
  if (!known) return refuse({}, "Batches are not supported: send each message by itself.");
  if (incoming.messages.size() > limits::batch_messages_max) {
    return refuse({}, cat("A batch has at most ", limits::batch_messages_max, " messages."));
  }
  Batch batch;
  for (auto& message : incoming.messages) {
    const std::string_view why = message ? unfit_for_batch(*message) : std::string_view{};
    if (why.empty()) {
      batch.actions.push_back(action_for(parts, message, connection, nullptr));
    } else {
      batch.actions.emplace_back(refuse(std::get<Request>(*message).id, std::string(why)));
    }
  }
  return batch;
}

}  // namespace

Server::Server(ServerInfo info, Catalog catalog)
    : parts_(std::make_shared<const Parts>(Parts{std::move(info), std::move(catalog)})) {
  ASSERT(parts_->info.instructions.size() <= limits::instructions_bytes_max);
}

Action Server::accept(std::string_view text, ClientState& connection) const {
  return accept(decode_incoming(text), connection, nullptr);
}

Action Server::accept(Incoming incoming, ClientState& connection, const Headers* headers) const {
  if (incoming.batch) return batch_of(parts_, incoming, connection);
  return std::visit([](auto&& action) -> Action { return std::move(action); },
                    action_for(parts_, incoming.messages[0], connection, headers));
}

}  // namespace baton::protocol
