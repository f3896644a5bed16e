#include "conformance/server.h"

#include <cstdio>

#include "base/text/text.h"
#include "conformance/fixtures.h"
#include "transport/http/http_server.h"
#include "transport/http/mcp_endpoint.h"
#include "verbs/run/mcp_tasks.h"
#include "verbs/run/signed_states.h"

namespace baton::conformance {
namespace {

/// Changes go to `hub`, which must outlive the server.
Result<protocol::Server> make_server(engine::Engine& engine, transport::Hub& hub) {
  const auto publish = [&hub](const protocol::Change& change) { hub.publish(change); };
  const auto open = [&engine]() -> Result<engine::Engine*> { return &engine; };
  protocol::Catalog all = TRY(catalog(publish));
  all.sealer = std::make_shared<verbs::SignedStates>(open);
  all.tasks = std::make_shared<verbs::McpTasks>(open);
  protocol::ServerInfo info;
  info.version = BATON_VERSION;
  info.instructions = "Fixtures of the protocol's own suite.";
  return protocol::Server(std::move(info), std::move(all));
}

}  // namespace

Result<transport::ServeEnd> serve_stdio(engine::Engine& engine, int in, int out, int stop) {
  transport::Hub hub;
  const protocol::Server server = TRY(make_server(engine, hub));
  transport::StdioOptions options;
  options.in_fd = in;
  options.out_fd = out;
  options.stop_fd = stop;
  options.hub = &hub;
  return transport::serve_stdio(server, options);
}

Result<transport::ServeEnd> serve_http(engine::Engine& engine, int stop) {
  transport::Hub hub;
  const protocol::Server server = TRY(make_server(engine, hub));
  const transport::ListenAddress address = TRY(transport::parse_address("127.0.0.1:0"));
  transport::McpEndpoint endpoint(server, hub, engine.entropy);
  const auto http = TRY(transport::HttpServer::listen(
      address, {.clock = &engine.clock},
      transport::Guard({address.host_name()}, std::make_shared<transport::AllowAll>()),
      {endpoint.route("/mcp")}));
  std::printf("listening on http://%s/mcp\n", to_text(http->address()).c_str());
  std::fflush(stdout);
  const bool answered = http->run(stop, [&] { endpoint.stop(); });
  const bool finished = endpoint.finish(limits::drain_ms_max);
  return answered && finished ? transport::ServeEnd::drained
                              : transport::ServeEnd::calls_still_running;
}

}  // namespace baton::conformance
