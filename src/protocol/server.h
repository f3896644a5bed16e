#pragma once
// Server: what one message is answered with. Pure: values in, values out. It keeps nothing between
// messages; what a legacy client negotiated is in the ClientState that the transport passes in.
//
// Immutable and cheap to copy; any thread may use it. Work made by accept() keeps alive what it
// needs of the server, so it may outlive the Server value.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/changes.h"
#include "protocol/features/prompt.h"
#include "protocol/features/resource.h"
#include "protocol/features/tool.h"
#include "protocol/headers.h"
#include "protocol/message.h"
#include "protocol/state_sealer.h"
#include "protocol/tasks.h"
#include "protocol/version.h"

namespace baton::protocol {

struct ServerInfo {
  std::string name = "baton";
  std::string title = "Baton";
  std::string version = {};
  std::string instructions = {};  // at most limits::instructions_bytes_max
  std::vector<Icon> icons = {};
};

/// Everything a server offers, as data.
struct Catalog {
  ToolTable tools = {};
  ResourceTable resources = {};
  PromptTable prompts = {};

  // What may change while the server runs and is then announced.
  bool tools_change = false;
  bool prompts_change = false;
  bool resources_change = false;
  bool resources_subscribe = false;

  bool logs = false;  // handlers use Call::log

  std::shared_ptr<TaskBook> tasks = {};  // null: no tasks
  /// Hears of every task that changes here; may be empty.
  std::function<void(const Change&)> publish = {};
  /// Called when a client subscribes to a resource. What it gives is kept for as long as the client
  /// stays subscribed, so that changes are watched for only then. Null: nothing has to watch. May
  /// be empty.
  std::function<std::shared_ptr<void>(std::string_view uri)> watch = {};
  std::shared_ptr<StateSealer> sealer = {};  // null: handlers keep no state
};

// --- Actions: what to do about one message -----------------------------------------------------

/// Nothing is to be sent. Over HTTP: 202.
struct NoReply {};

/// One line to send now.
struct WireReply {
  std::string line;
  int http_status = 200;
};

/// What Work ends with: a line to send, and what is to run after it on the same thread, when the
/// request is no longer in flight: the rest of a task. Only cancelled() of its host is used then,
/// which is true when the server ends.
struct WorkResult {
  std::string line;
  int http_status = 200;
  std::function<void(const CallHost&)> then = {};
};

/// A request that may take long: run it off the reading thread.
struct Work {
  RequestId id;
  Version version = newest_legacy_version;
  std::function<WorkResult(CallHost&)> run;
  bool quick = true;  // it writes nothing: waiting for it is cheaper than a thread of its own
};

/// The caller no longer wants the answer to this request, or ends this listening.
struct Cancel {
  RequestId id;
};

/// The client's answer to a request of ours, for the call that waits in CallHost::ask.
struct Answered {
  Response response;
};

/// A modern subscriptions/listen: send `acknowledged` at once, then notification_for() every change
/// until it is cancelled or its stream is closed; `final` when the server ends first.
struct Listen {
  RequestId id;
  ChangeFilter filter;
  std::string acknowledged;
  std::string final;
};

using SingleAction = std::variant<NoReply, WireReply, Work, Cancel, Answered, Listen>;

/// The messages of one batch (2025-03-26 only). Their answers go out as one array when all are
/// there; cancelled ones are left out.
struct Batch {
  std::vector<SingleAction> actions;
};

using Action = std::variant<NoReply, WireReply, Work, Cancel, Answered, Listen, Batch>;

class Server {
 public:
  Server(ServerInfo info, Catalog catalog);

  /// Decodes one message and says what to do about it. Never blocks and calls no handler.
  Action accept(std::string_view text, ClientState& connection) const;

  /// The same for a message that was decoded before. `headers` are those of the HTTP request it
  /// came with, null elsewhere.
  Action accept(Incoming message, ClientState& connection, const Headers* headers) const;

  struct Parts;  // opaque: the constant content

 private:
  std::shared_ptr<const Parts> parts_;
};

}  // namespace baton::protocol
