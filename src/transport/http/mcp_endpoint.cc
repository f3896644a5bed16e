#include "transport/http/mcp_endpoint.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/core/overloaded.h"
#include "base/text/text.h"
#include "transport/http/mcp_batch.h"

namespace baton::transport {

using protocol::RequestId;
using protocol::RpcCode;
using protocol::RpcError;

namespace {

constexpr std::string_view session_header = "mcp-session-id";
constexpr std::string_view version_header = "mcp-protocol-version";
constexpr std::string_view too_many_calls = "Too many calls at once. Try again later.";

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

struct McpEndpoint::Asked {
  HttpRequest request;
  std::shared_ptr<Exchange> exchange;
  std::shared_ptr<Session> session = {};  // of a legacy request
  Accepted accepted = {};
  std::size_t bytes = 0;  // of its message

  void respond(HttpResponse response) const { exchange->respond(std::move(response)); }

  /// An answer that is there at once: JSON, but for a client that takes nothing but streams. What
  /// failed keeps its status, for every Accept header.
  void reply(protocol::Reply reply, std::vector<HttpHeader> headers = {}) const {
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
      pool_(limits::http_workers_max, bounds.calls_max),
      changes_(hub.subscribe([this](const protocol::Change& change) {
        const std::lock_guard lock(sessions_mutex_);
        for (const auto& session : sessions_) session->notify(change);
      })) {}

McpEndpoint::~McpEndpoint() = default;

HttpRoute McpEndpoint::route(std::string path) {
  return {std::move(path),
          [this](HttpRequest request, std::shared_ptr<Exchange> exchange) {
            handle(std::move(request), std::move(exchange));
          },
          /*alone=*/true, [this] { tick(); }};
}

// --- Requests -----------------------------------------------------------------------------------

void McpEndpoint::handle(HttpRequest request, std::shared_ptr<Exchange> exchange) {
  Asked asked{std::move(request), std::move(exchange)};
  asked.accepted = accepted_by(asked.request);
  const std::string_view method = asked.request.method;
  if (method == "POST") return post(std::move(asked));
  if (method != "GET" && method != "DELETE") {
    return asked.respond(method_not_allowed("POST, GET, DELETE"));
  }
  if (auto problem = ambiguity_of(asked.request)) {
    return asked.respond(refusal(400, RpcCode::invalid_request, std::move(*problem)));
  }
  // Both exist for legacy sessions only; the modern era knows neither them nor the header.
  const std::string* const version = asked.request.header(version_header);
  const auto named = version == nullptr ? std::nullopt : protocol::version_from(*version);
  if (asked.request.header(session_header) == nullptr || (named && protocol::is_modern(*named))) {
    return asked.respond(method_not_allowed("POST"));
  }
  if (names_unknown_version(asked.request)) {
    return asked.respond(
        refusal(400, RpcCode::invalid_request, "This server does not support that revision."));
  }
  asked.session = find_session(asked.request);
  if (!asked.session) {
    return asked.respond(refusal(404, RpcCode::invalid_request,
                                 "The session has ended. Send initialize to begin a new one."));
  }
  if (method == "GET") return get(asked);
  remove(asked);
}

void McpEndpoint::post(Asked asked) {
  if (!is_json(asked.request)) {
    return asked.respond(
        refusal(415, RpcCode::invalid_request, "Send Content-Type: application/json."));
  }
  if (!asked.accepted.json && !asked.accepted.stream) {
    return asked.respond(
        refusal(406, RpcCode::invalid_request,
                "Accept application/json and text/event-stream: an answer may be either."));
  }
  asked.bytes = asked.request.body.size();
  protocol::Incoming message = protocol::decode_incoming(asked.request.body);
  asked.request.body = {};
  if (auto problem = ambiguity_of(asked.request)) {
    const bool modern = protocol::is_modern(message, headers_of(asked.request));
    const RpcCode code = modern ? RpcCode::header_mismatch : RpcCode::invalid_request;
    return asked.respond(json_response(
        400, protocol::encode_error(id_of(message), {code, std::move(*problem), {}})));
  }
  if (protocol::is_initialize(message)) return initialize(std::move(asked), std::move(message));
  if (protocol::is_modern(message, headers_of(asked.request))) {
    return post_modern(std::move(asked), std::move(message));
  }
  post_legacy(std::move(asked), std::move(message));
}

void McpEndpoint::post_modern(Asked asked, protocol::Incoming message) {
  protocol::Connection connection;
  connection.principal = asked.request.principal;
  const protocol::Headers headers = headers_of(asked.request);
  protocol::Step step = server_.accept(std::move(message), connection, &headers);
  act(std::move(asked), std::move(step));
}

void McpEndpoint::initialize(Asked asked, protocol::Incoming message) {
  // A session that the client still names is left to its end.
  asked.session = new_session(asked.request.principal);
  protocol::Step step =
      asked.session->accept(server_, std::move(message), headers_of(asked.request));
  // A failed handshake creates no session and takes no slot.
  auto* const reply = std::get_if<protocol::Reply>(&step);
  if (reply == nullptr || !asked.session->initialized()) {
    return act(std::move(asked), std::move(step));
  }
  if (!add_session(asked.session)) {
    return asked.respond(
        refusal(503, RpcCode::internal_error, "Too many clients at once. Try again later."));
  }
  asked.reply(std::move(*reply), {{"Mcp-Session-Id", asked.session->id()}});
}

void McpEndpoint::post_legacy(Asked asked, protocol::Incoming message) {
  if (names_unknown_version(asked.request)) {
    return asked.respond(
        refusal(400, RpcCode::invalid_request, "This server does not support that revision."));
  }
  // What cannot be read gets its own answer, with or without a session.
  const bool unreadable = !message.batch && !message.messages.front();
  if (asked.request.header(session_header) == nullptr) {
    if (unreadable) return post_modern(std::move(asked), std::move(message));
    return asked.respond(
        refusal(400, RpcCode::invalid_request,
                "Send initialize first and then its Mcp-Session-Id header with every request; or "
                "send a request of revision 2026-07-28, which needs neither."));
  }
  asked.session = find_session(asked.request);
  if (!asked.session) {
    return asked.respond(refusal(404, RpcCode::invalid_request,
                                 "The session has ended. Send initialize to begin a new one."));
  }
  protocol::Step step =
      asked.session->accept(server_, std::move(message), headers_of(asked.request));
  act(std::move(asked), std::move(step));
}

void McpEndpoint::get(const Asked& asked) {
  if (!asked.accepted.stream) {
    return asked.respond(
        refusal(406, RpcCode::invalid_request, "Accept text/event-stream to open a stream."));
  }
  const std::string* const last = asked.request.header("last-event-id");
  if (last == nullptr) return asked.session->open_standalone(asked.exchange);
  const std::optional<EventId> id = event_id_from(*last);
  if (id && asked.session->resume(*id, asked.exchange)) return;
  asked.respond(refusal(400, RpcCode::invalid_request,
                        "There is nothing to resume after this Last-Event-ID. Send the request "
                        "again."));
}

void McpEndpoint::remove(const Asked& asked) {
  {
    const std::lock_guard lock(sessions_mutex_);
    const auto found = by_id_.find(asked.session->id());
    if (found != by_id_.end()) {
      sessions_.erase(found->second);
      by_id_.erase(found);
    }
  }
  asked.session->end();
  asked.respond({.status = 204});
}

// --- Sessions -----------------------------------------------------------------------------------

std::shared_ptr<Session> McpEndpoint::find_session(const HttpRequest& request) {
  const std::lock_guard lock(sessions_mutex_);
  const auto found = by_id_.find(*request.header(session_header));
  if (found == by_id_.end()) return nullptr;
  // To another principal the session does not exist.
  if ((*found->second)->principal() != request.principal) return nullptr;
  sessions_.splice(sessions_.end(), sessions_, found->second);
  return *found->second;
}

std::shared_ptr<Session> McpEndpoint::new_session(const std::string& principal) {
  std::array<std::uint8_t, 24> bytes{};
  entropy_.fill(bytes);
  return std::make_shared<Session>(to_hex(bytes), principal);
}

bool McpEndpoint::add_session(const std::shared_ptr<Session>& session) {
  std::shared_ptr<Session> evicted;  // dropped without the lock
  const std::lock_guard lock(sessions_mutex_);
  if (sessions_.size() >= bounds_.sessions_max) {
    const auto idle =
        std::ranges::find_if(sessions_, [](const auto& each) { return !each->busy(); });
    if (idle == sessions_.end()) return false;
    by_id_.erase((*idle)->id());
    evicted = *idle;
    sessions_.erase(idle);
  }
  sessions_.push_back(session);
  by_id_.emplace(session->id(), std::prev(sessions_.end()));
  return true;
}

// --- Steps --------------------------------------------------------------------------------------

void McpEndpoint::act(Asked asked, protocol::Step step) {
  std::visit(
      Overloaded{[&](protocol::Silence&) { asked.respond({.status = 202}); },
                 [&](protocol::Reply& reply) { asked.reply(std::move(reply)); },
                 [&](protocol::Work& work) { run(std::move(asked), std::move(work)); },
                 [&](protocol::Cancel& cancel) {
                   // A modern client cancels by closing; ids of different clients may be equal.
                   if (asked.session) asked.session->cancel_call(cancel.id);
                   asked.respond({.status = 202});
                 },
                 [&](protocol::Answered& answered) {
                   if (asked.session) asked.session->answered(std::move(answered.response));
                   asked.respond({.status = 202});
                 },
                 [&](protocol::Listen& heard) { listen(asked, std::move(heard)); },
                 [&](protocol::Batch& batch) { run_batch(std::move(asked), std::move(batch)); }},
      step);
}

std::shared_ptr<McpCall> McpEndpoint::begin_call(const Asked& asked) {
  const std::lock_guard lock(calls_->mutex);
  // Calls that wait for their client, or continue after their answer, take no slot.
  if (calls_->open.size() >= bounds_.calls_max + pool_.aside()) return nullptr;
  if (calls_->bytes + asked.bytes > bounds_.calls_bytes_max) return nullptr;
  auto call =
      std::make_shared<McpCall>(asked.exchange, asked.session, asked.accepted, pool_.step_aside());
  calls_->open.emplace(call.get(), Calls::Open{call, asked.bytes});
  calls_->bytes += asked.bytes;
  young_calls_.push_back(call);
  if (!asked.session) {
    asked.exchange->on_closed([weak = std::weak_ptr(call)] {
      if (const auto alive = weak.lock()) alive->cancel();
    });
  }
  return call;
}

void McpEndpoint::Calls::end(const McpCall& call) {
  const std::lock_guard lock(mutex);
  const auto found = open.find(&call);
  if (found == open.end()) return;
  bytes -= found->second.bytes;
  open.erase(found);
}

void McpEndpoint::run(Asked asked, protocol::Work work) {
  const std::shared_ptr<McpCall> call = begin_call(asked);
  if (!call) {
    return asked.respond(json_response(
        503, protocol::encode_error(work.id,
                                    {RpcCode::internal_error, std::string(too_many_calls), {}})));
  }
  if (asked.session && !asked.session->begin_call(work.id, call)) {
    calls_->end(*call);
    return call->answer(protocol::encode_error(work.id, id_in_use()), 400);
  }
  const RequestId id = work.id;
  const bool posted =
      pool_.post([calls = calls_, call, session = asked.session, work = std::move(work)] {
        protocol::Outcome outcome;
        if (!call->cancelled()) outcome = work.run(*call);
        if (session) session->end_call(work.id);
        call->conclude(std::move(outcome));
        calls->end(*call);
      });
  if (posted) return;
  calls_->end(*call);
  if (asked.session) asked.session->end_call(id);
}

void McpEndpoint::run_batch(Asked asked, protocol::Batch batch) {
  const std::shared_ptr<McpCall> call = begin_call(asked);
  if (!call) {
    return asked.respond(refusal(503, RpcCode::internal_error, std::string(too_many_calls)));
  }
  const auto requests = std::make_shared<McpBatch>(call, asked.session, std::move(batch));
  if (requests->is_silent()) {
    calls_->end(*call);
    return asked.respond({.status = 202});
  }
  const bool posted = pool_.post([calls = calls_, call, requests] {
    requests->run();
    calls->end(*call);
  });
  if (!posted) calls_->end(*call);
}

// --- Listening ----------------------------------------------------------------------------------

void McpEndpoint::listen(const Asked& asked, protocol::Listen listen) {
  if (listeners_.size() >= bounds_.listens_max) {
    return asked.respond(json_response(
        503, protocol::encode_error(
                 listen.id, {RpcCode::internal_error, "Too many clients are listening.", {}})));
  }
  if (!asked.accepted.stream) {
    return asked.respond(
        refusal(406, RpcCode::invalid_request, "Accept text/event-stream to listen."));
  }
  asked.exchange->start_stream(sse_head());
  asked.exchange->write(sse_event(listen.acknowledged));
  const std::uint64_t number = ++listened_;
  const auto listener =
      std::make_shared<Listener>(Listener{asked.exchange, std::move(listen.final)});
  listeners_.emplace(number, listener);
  listener->changes = hub_.subscribe([exchange = asked.exchange, filter = std::move(listen.filter),
                                      id = listen.id](const protocol::Change& change) {
    if (const auto line = protocol::notification_for(change, filter, id)) {
      exchange->write(sse_event(*line));
    }
  });
  asked.exchange->on_closed([this, number] { listeners_.erase(number); });
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
  const std::lock_guard lock(sessions_mutex_);
  for (const auto& session : sessions_) session->hang_up();
}

bool McpEndpoint::finish(std::int64_t ms) {
  std::vector<std::shared_ptr<McpCall>> calls;
  {
    const std::lock_guard lock(calls_->mutex);
    for (const auto& [key, open] : calls_->open) {
      if (auto alive = open.call.lock()) calls.push_back(std::move(alive));
    }
  }
  for (const auto& call : calls) call->end();
  return pool_.finish(ms);
}

}  // namespace baton::transport
