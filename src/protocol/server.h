#pragma once
// Server: what one message is answered with. Pure: values in, values out. It keeps nothing between
// messages; what a legacy client settled stands in the Connection that the transport passes in.
//
// Immutable and cheap to copy; any thread may use it. Work made by accept() keeps alive what it
// needs of the server, so it may outlive the Server value.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "protocol/message.h"
#include "protocol/tool.h"
#include "protocol/version.h"

namespace baton::protocol {

struct ServerInfo {
  std::string name = "baton";
  std::string title = "Baton";
  std::string version = {};
  std::string instructions = {};  // at most limits::instructions_bytes_max
};

/// The text that tells an agent what Baton is and how to begin.
std::string_view default_instructions();

/// Nothing is to be sent.
struct Silence {};

/// One line to send now.
struct Reply {
  std::string line;
};

/// A request that may take long: run it off the reading thread, send the line it returns.
struct Work {
  RequestId id;
  std::function<std::string(CallHost&)> run;
};

/// The caller no longer wants the answer to this request.
struct Cancel {
  RequestId id;
};

using Step = std::variant<Silence, Reply, Work, Cancel>;

class Server {
 public:
  Server(ServerInfo info, ToolTable tools);

  /// Decodes one message and says what to do about it. Never blocks and calls no handler.
  Step accept(std::string_view text, Connection& connection) const;

  struct Parts;  // opaque: the constant content

 private:
  std::shared_ptr<const Parts> parts_;
};

}  // namespace baton::protocol
