#pragma once
// `baton serve --http`: the same server behind a socket.

#include "cli/config.h"
#include "cli/verb.h"
#include "protocol/server.h"
#include "transport/http/address.h"
#include "transport/hub.h"
#include "transport/stdio/serve.h"

namespace baton::cli {

/// What the operator of an address beyond this machine must know; empty for others.
std::string exposure_warning(const transport::ListenAddress& address);

/// Serves until SIGTERM or SIGINT.
Result<transport::ServeEnd> serve_http(const Call& call, const Config& config,
                                       const protocol::Server& server, transport::Hub& hub);

}  // namespace baton::cli
