#include "transport/http/mcp_endpoint.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/core/overloaded.h"
#include "base/text/text.h"

namespace baton::transport {

using protocol::RequestId;
using protocol::RpcCode;
using protocol::RpcError;

namespace {

constexpr std::string_view session_header = "mcp-session-id";
constexpr std::string_view version_header = "mcp-protocol-version";

HttpResponse json_response(int status, std::string line) {
  return {status, {{"Content-Type", "application/json"}}, std::move(line)};
}

/// A refusal that a client can show: JSON-RPC without an id.
HttpResponse refusal(int status, RpcCode code, std::string message) {
  return json_response(
      status, protocol::encode_error(std::nullopt, RpcError{code, std::move(message), {}}));
}

HttpResponse method_not_allowed(std::string allowed) {
  HttpResponse response = text_response(405, "This path does not support this method.");
  response.headers.push_back({"Allow", std::move(allowed)});
  return response;
}

bool is_json(const HttpRequest& request) {
  const std::string* const type = request.header("content-type");
  if (type == nullptr) return false;
  const std::string essence = ascii_lower(std::string_view(*type).substr(0, type->find(';')));
  return essence.substr(0, essence.find_last_not_of(" \t") + 1) == "application/json";
}

protocol::Headers headers_of(const HttpRequest& request) {
  return [&request](std::string_view name) -> std::optional<std::string_view> {
    const std::string* const value = request.header(ascii_lower(name));
    if (value == nullptr) return std::nullopt;
    return *value;
  };
}

/// The refusal of a request with two of a header that decides where it goes: what is before
/// this server may have gone by the other one.
std::optional<std::string> ambiguity_of(const HttpRequest& request) {
  constexpr std::array<std::string_view, 4> single = {session_header, version_header, "mcp-method",
                                                      "mcp-name"};
  for (const HttpHeader& header : request.headers) {
    const bool is_single =
        std::ranges::count(single, header.name) != 0 || header.name.starts_with("mcp-param-");
    if (is_single && request.count(header.name) > 1) {
      return cat("The header ", header.name, " was sent twice. Send it once.");
    }
  }
  return std::nullopt;
}

/// The id of what is refused before it is looked at, where it is one request.
std::optional<RequestId> id_of(const protocol::Incoming& message) {
  if (message.batch || !message.messages.front()) return std::nullopt;
  const auto* const request = std::get_if<protocol::Request>(&*message.messages.front());
  return request == nullptr ? std::nullopt : std::optional(request->id);
}

/// A revision that this server does not speak at all, named by a legacy client.
bool names_unknown_version(const HttpRequest& request) {
  const std::string* const version = request.header(version_header);
  return version != nullptr && !protocol::version_from(*version);
}

}  // namespace

struct McpEndpoint::Request {
  HttpRequest http;
  std::shared_ptr<Exchange> exchange;
  std::shared_ptr<HttpSession> session = {};  // of a legacy request
  Accepted accepted = {};
  std::size_t bytes = 0;  // of its message

  void respond(HttpResponse response) const { exchange->respond(std::move(response)); }

  /// An answer that is there at once: JSON, but for a client that takes nothing but streams. What
  /// failed keeps its status, for every Accept header.
  void reply(protocol::WireReply reply, std::vector<HttpHeader> headers = {}) const {
    if (accepted.json || reply.http_status != 200) {
      HttpResponse response = json_response(reply.http_status, std::move(reply.line));
      std::ranges::move(headers, std::back_inserter(response.headers));
      return respond(std::move(response));
    }
    StreamHead head = sse_head();
    std::ranges::move(headers, std::back_inserter(head.headers));
    exchange->start_stream(std::move(head));
    exchange->write(sse_event(reply.line));
    exchange->finish();
  }
};

/// A subscriptions/listen: ends when its client leaves or the server stops.
struct McpEndpoint::Listener {
  std::shared_ptr<Exchange> exchange;
  std::string final;
  Hub::Subscription changes = {};
};

McpEndpoint::McpEndpoint(protocol::Server server, Hub& hub, ports::Entropy& entropy,
                         McpLimits bounds)
    : server_(std::move(server)),
      hub_(hub),
      entropy_(entropy),
      bounds_(bounds),
      scheduler_(std::make_shared<CallScheduler>(
          CallScheduler::Bounds{.threads_max = limits::http_workers_max,
                                .aside_max = bounds.calls_max,
                                .calls_max = bounds.calls_max,
                                .bytes_max = bounds.calls_bytes_max})),
      changes_(hub.subscribe([this](const protocol::Change& change) {
        const MutexLock lock(sessions_mutex_);
        for (const auto& session : sessions_) session->notify(change);
      })) {}

McpEndpoint::~McpEndpoint() { scheduler_->finish(0); }

HttpRoute McpEndpoint::route(std::string path) {
  return {std::move(path),
          [this](HttpRequest request, std::shared_ptr<Exchange> exchange) {
            handle(std::move(request), std::move(exchange));
          },
          /*alone=*/true, [this] { tick(); }};
}

// --- Requests -----------------------------------------------------------------------------------

void McpEndpoint::handle(HttpRequest http, std::shared_ptr<Exchange> exchange) {
  Request request{std::move(http), std::move(exchange)};
  request.accepted = accepted_by(request.http);
  const std::string_view method = request.http.method;
  if (method == "POST") return post(std::move(request));
  if (method != "GET" && method != "DELETE") {
    return request.respond(method_not_allowed("POST, GET, DELETE"));
  }
  if (auto problem = ambiguity_of(request.http)) {
    return request.respond(refusal(400, RpcCode::invalid_request, std::move(*problem)));
  }
  // Both exist for legacy sessions only; the modern era knows neither them nor the header.
  const std::string* const version = request.http.header(version_header);
  const auto named = version == nullptr ? std::nullopt : protocol::version_from(*version);
  if (request.http.header(session_header) == nullptr || (named && protocol::is_modern(*named))) {
    return request.respond(method_not_allowed("POST"));
  }
  if (names_unknown_version(request.http)) {
    return request.respond(
        refusal(400, RpcCode::invalid_request, "This server does not support that revision."));
  }
  request.session = find_session(request.http);
  if (!request.session) {
    return request.respond(refusal(404, RpcCode::invalid_request,
                                   "The session has ended. Send initialize to begin a new one."));
  }
  if (method == "GET") return get(request);
  remove(request);
}

void McpEndpoint::post(Request request) {
  if (!is_json(request.http)) {
    return request.respond(
        refusal(415, RpcCode::invalid_request, "Send Content-Type: application/json."));
  }
  if (!request.accepted.json && !request.accepted.stream) {
    return request.respond(
        refusal(406, RpcCode::invalid_request,
                "Accept application/json and text/event-stream: an answer may be either."));
  }
  request.bytes = request.http.body.size();
  protocol::Incoming message = protocol::decode_incoming(request.http.body);
  request.http.body = {};
  if (auto problem = ambiguity_of(request.http)) {
    const bool modern = protocol::is_modern(message, headers_of(request.http));
    const RpcCode code = modern ? RpcCode::header_mismatch : RpcCode::invalid_request;
    return request.respond(json_response(
        400, protocol::encode_error(id_of(message), {code, std::move(*problem), {}})));
  }
  if (protocol::is_initialize(message)) return initialize(std::move(request), std::move(message));
  if (protocol::is_modern(message, headers_of(request.http))) {
    return post_modern(std::move(request), std::move(message));
  }
  post_legacy(std::move(request), std::move(message));
}

void McpEndpoint::post_modern(Request request, protocol::Incoming message) {
  protocol::ClientState connection;
  connection.principal = request.http.principal;
  const protocol::Headers headers = headers_of(request.http);
  protocol::Action action = server_.accept(std::move(message), connection, &headers);
  act(std::move(request), std::move(action));
}

void McpEndpoint::initialize(Request request, protocol::Incoming message) {
  // A session that the client still names is left to its end.
  request.session = new_session(request.http.principal);
  protocol::Action action =
      request.session->accept(server_, std::move(message), headers_of(request.http));
  // A failed handshake creates no session and takes no slot.
  auto* const reply = std::get_if<protocol::WireReply>(&action);
  if (reply == nullptr || !request.session->initialized()) {
    return act(std::move(request), std::move(action));
  }
  if (!add_session(request.session)) {
    return request.respond(
        refusal(503, RpcCode::internal_error, "Too many clients at once. Try again later."));
  }
  request.reply(std::move(*reply), {{"Mcp-Session-Id", request.session->id()}});
}

void McpEndpoint::post_legacy(Request request, protocol::Incoming message) {
  if (names_unknown_version(request.http)) {
    return request.respond(
        refusal(400, RpcCode::invalid_request, "This server does not support that revision."));
  }
  // What cannot be read gets its own answer, with or without a session.
  const bool unreadable = !message.batch && !message.messages.front();
  if (request.http.header(session_header) == nullptr) {
    if (unreadable) return post_modern(std::move(request), std::move(message));
    return request.respond(
        refusal(400, RpcCode::invalid_request,
                "Send initialize first and then its Mcp-Session-Id header with every request; or "
                "send a request of revision 2026-07-28, which needs neither."));
  }
  request.session = find_session(request.http);
  if (!request.session) {
    return request.respond(refusal(404, RpcCode::invalid_request,
                                   "The session has ended. Send initialize to begin a new one."));
  }
  protocol::Action action =
      request.session->accept(server_, std::move(message), headers_of(request.http));
  act(std::move(request), std::move(action));
}

void McpEndpoint::get(const Request& request) {
  if (!request.accepted.stream) {
    return request.respond(
        refusal(406, RpcCode::invalid_request, "Accept text/event-stream to open a stream."));
  }
  const std::string* const last = request.http.header("last-event-id");
  if (last == nullptr) return request.session->open_standalone(request.exchange);
  const std::optional<EventId> id = event_id_from(*last);
  if (id && request.session->resume(*id, request.exchange)) return;
  request.respond(refusal(400, RpcCode::invalid_request,
                          "There is nothing to resume after this Last-Event-ID. Send the request "
                          "again."));
}

void McpEndpoint::remove(const Request& request) {
  {
    const MutexLock lock(sessions_mutex_);
    const auto found = by_id_.find(request.session->id());
    if (found != by_id_.end()) {
      sessions_.erase(found->second);
      by_id_.erase(found);
    }
  }
  request.session->end();
  scheduler_->cancel_client(request.session->client());
  request.respond({.status = 204});
}

// --- Sessions -----------------------------------------------------------------------------------

std::shared_ptr<HttpSession> McpEndpoint::find_session(const HttpRequest& request) {
  const MutexLock lock(sessions_mutex_);
  const auto found = by_id_.find(*request.header(session_header));
  if (found == by_id_.end()) return nullptr;
  // To another principal the session does not exist.
  if ((*found->second)->principal() != request.principal) return nullptr;
  sessions_.splice(sessions_.end(), sessions_, found->second);
  return *found->second;
}

std::shared_ptr<HttpSession> McpEndpoint::new_session(const std::string& principal) {
  std::array<std::uint8_t, 24> bytes{};
  entropy_.fill(bytes);
  return std::make_shared<HttpSession>(to_hex(bytes), principal, scheduler_->add_client());
}

bool McpEndpoint::add_session(const std::shared_ptr<HttpSession>& session) {
  std::shared_ptr<HttpSession> evicted;  // dropped without the lock
  const MutexLock lock(sessions_mutex_);
  if (sessions_.size() >= bounds_.sessions_max) {
    const auto idle = std::ranges::find_if(sessions_, [&](const auto& each) {
      return !each->has_reader() && !scheduler_->has_calls(each->client());
    });
    if (idle == sessions_.end()) return false;
    by_id_.erase((*idle)->id());
    evicted = *idle;
    sessions_.erase(idle);
  }
  sessions_.push_back(session);
  by_id_.emplace(session->id(), std::prev(sessions_.end()));
  return true;
}

// --- Actions ------------------------------------------------------------------------------------

void McpEndpoint::act(Request request, protocol::Action action) {
  std::visit(
      Overloaded{[&](protocol::NoReply&) { request.respond({.status = 202}); },
                 [&](protocol::WireReply& reply) { request.reply(std::move(reply)); },
                 [&](protocol::Work& work) { run(std::move(request), std::move(work)); },
                 [&](protocol::Cancel& cancel) {
                   // A modern client cancels by closing; ids of different clients may be equal.
                   if (request.session) scheduler_->cancel({request.session->client(), cancel.id});
                   request.respond({.status = 202});
                 },
                 [&](protocol::Answered& answered) {
                   if (request.session) {
                     scheduler_->answered(request.session->client(), std::move(answered.response));
                   }
                   request.respond({.status = 202});
                 },
                 [&](protocol::Listen& heard) { listen(request, std::move(heard)); },
                 [&](protocol::Batch& batch) { run_batch(std::move(request), std::move(batch)); }},
      action);
}

bool McpEndpoint::has_room(const Request& request, const std::optional<RequestId>& id) {
  if (scheduler_->room(request.bytes)) return true;
  request.respond(json_response(
      503, protocol::encode_error(
               id, {RpcCode::internal_error, "Too many calls at once. Try again later.", {}})));
  return false;
}

CallScheduler::Start McpEndpoint::start(const Request& request,
                                        const std::shared_ptr<McpHttpCall>& call) {
  if (!request.session) {
    request.exchange->on_closed([scheduler = scheduler_, weak = std::weak_ptr(call)] {
      if (const auto alive = weak.lock()) scheduler->cancel(*alive);
    });
  }
  young_calls_.push_back(call);
  return scheduler_->start(call);
}

void McpEndpoint::run(Request request, protocol::Work work) {
  if (!has_room(request, work.id)) return;
  // Modern requests are independent: each is a client of its own.
  const std::uint64_t client =
      request.session ? request.session->client() : scheduler_->add_client();
  const RequestId id = work.id;
  const auto call = std::make_shared<McpHttpCall>(
      *scheduler_, ScheduledCall::Key{client, id}, request.bytes,
      McpHttpCall::Way{request.exchange, request.session, request.accepted}, std::move(work));
  if (start(request, call) == CallScheduler::Start::id_in_use) {
    call->respond(protocol::encode_error(id, id_in_use()), 400);
  }
}

void McpEndpoint::run_batch(Request request, protocol::Batch batch) {
  if (!has_room(request, std::nullopt)) return;
  const auto call = std::make_shared<McpBatch>(
      *scheduler_, request.bytes,
      McpHttpCall::Way{request.exchange, request.session, request.accepted}, std::move(batch));
  if (call->is_silent()) return request.respond({.status = 202});
  start(request, call);
}

// --- Listening ----------------------------------------------------------------------------------

void McpEndpoint::listen(const Request& request, protocol::Listen listen) {
  if (listeners_.size() >= bounds_.listens_max) {
    return request.respond(json_response(
        503, protocol::encode_error(
                 listen.id, {RpcCode::internal_error, "Too many clients are listening.", {}})));
  }
  if (!request.accepted.stream) {
    return request.respond(
        refusal(406, RpcCode::invalid_request, "Accept text/event-stream to listen."));
  }
  request.exchange->start_stream(sse_head());
  request.exchange->write(sse_event(listen.acknowledged));
  const std::uint64_t number = ++listened_;
  const auto listener =
      std::make_shared<Listener>(Listener{request.exchange, std::move(listen.final)});
  listeners_.emplace(number, listener);
  listener->changes =
      hub_.subscribe([exchange = request.exchange, filter = std::move(listen.filter),
                      id = listen.id](const protocol::Change& change) {
        if (const auto line = protocol::notification_for(change, filter, id)) {
          exchange->write(sse_event(*line));
        }
      });
  request.exchange->on_closed([this, number] { listeners_.erase(number); });
}

// --- Time and the end ---------------------------------------------------------------------------

void McpEndpoint::tick() {
  const auto begun =
      std::chrono::steady_clock::now() - std::chrono::milliseconds(bounds_.slow_call_ms);
  while (!young_calls_.empty()) {
    const auto call = young_calls_.front().lock();
    if (call && !call->is_answered()) {
      if (!call->become_stream_if_begun_before(begun)) return;
    }
    young_calls_.pop_front();
  }
}

void McpEndpoint::stop() {
  for (const auto& [number, listener] : listeners_) {
    listener->changes = {};
    listener->exchange->write(sse_event(listener->final));
    listener->exchange->finish();
  }
  listeners_.clear();
  scheduler_->hang_up();
  const MutexLock lock(sessions_mutex_);
  for (const auto& session : sessions_) session->hang_up();
}

bool McpEndpoint::finish(std::int64_t ms) {
  scheduler_->cancel_all();
  return scheduler_->finish(ms);
}

}  // namespace baton::transport
