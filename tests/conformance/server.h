#pragma once
// A server of the fixtures, over the same protocol and transports as `baton serve`. Tasks and
// sealed states go to an engine, as they do there.

#include "engine/engine.h"
#include "ports/system.h"
#include "transport/stdio/serve.h"

namespace baton::conformance {

/// Serves until `in` ends or `stop` is readable; -1: never. The engine must outlive it.
Result<transport::ServeEnd> serve_stdio(engine::Engine& engine, int in, int out, int stop);

/// Serves over HTTP until `stop` is readable, at a port of this machine that the system chooses and
/// that the first line on standard output names. Asks for no secret.
Result<transport::ServeEnd> serve_http(engine::Engine& engine, int stop);

}  // namespace baton::conformance
