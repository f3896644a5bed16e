#pragma once
// What `baton serve` says to a person who started it by hand.

#include <string>

#include "cli/config/config.h"
#include "cli/verb.h"
#include "cli/world.h"
#include "protocol/server.h"
#include "transport/http/address.h"
#include "transport/hub.h"
#include "transport/stdio/serve.h"

namespace baton::cli {

/// What the server is, where it keeps runs, and the line that gives it to each known client.
std::string greeting(const World& world, const Config& config);

/// The same for a server that listens at `url`; `token_file` holds the secret that clients send, or
/// is empty when they send none.
std::string http_greeting(const Config& config, const std::string& address,
                          const std::string& token_file);

/// The words as a shell would need them.
std::string shell_quoted(std::string_view word);

// `baton serve --http`: the same server behind a socket.

/// What the operator of an address beyond this machine must know; empty for others.
std::string exposure_warning(const transport::ListenAddress& address);

/// Serves until SIGTERM or SIGINT.
Result<transport::ServeEnd> serve_http(const VerbCall& call, const Config& config,
                                       const protocol::Server& server, transport::Hub& hub);

}  // namespace baton::cli
