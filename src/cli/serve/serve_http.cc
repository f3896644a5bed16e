#include "cli/serve/serve.h"

#include <algorithm>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/parts.h"
#include "cli/serve/token_file.h"
#include "transport/http/http_server.h"
#include "transport/http/mcp_endpoint.h"

namespace baton::cli {
namespace {

using transport::Authenticator;

constexpr std::string_view mcp_path = "/mcp";

std::string url_of(const transport::ListenAddress& address) {
  if (address.is_unix()) return to_text(address);
  return cat("http://", to_text(address), mcp_path);
}

/// Where the secret is kept; empty where none is needed: on a unix socket, which only its owner can
/// open, unless one was named.
std::string token_file_of(const Config& config, const transport::ListenAddress& address) {
  const std::vector<std::string>& named = config.values("token_file");
  if (address.is_unix() && named.empty()) return {};
  return named.empty() ? cat(config.store(), ".http-token") : named[0];
}

TokenPlace token_place_of(const Config& config) {
  return config.values("token_file").empty() ? TokenPlace::beside_the_store : TokenPlace::named;
}

/// Who may ask.
Result<std::shared_ptr<const Authenticator>> authenticator_of(const VerbCall& call,
                                                              const std::string& path,
                                                              TokenPlace place) {
  if (path.empty()) return std::make_shared<transport::AllowAll>();
  const HttpSecret secret = TRY(open_token_file(path, place, *call.parts.entropy));
  if (call.world.errors_are_terminal) {
    const std::string header = cat("Authorization: Bearer ", secret.is_new ? secret.text : "...");
    TRY(write_text(call.world.errors,
                   cat("Clients send the header '", header, "'; the secret is kept in ",
                       printable_line(path), ".\n")));
  }
  return std::make_shared<transport::BearerSecret>(secret.text);
}

}  // namespace

std::string exposure_warning(const transport::ListenAddress& address) {
  if (address.is_loopback()) return {};
  const bool is_any = address.host == "0.0.0.0" || address.host == "::";
  return cat("baton: warning: ", to_text(address), " can be reached from other machines",
             is_any ? ", over every network of this one" : "",
             ". Anyone who sends the secret gets access; without TLS the secret and every message "
             "can be read on the way.\nhint: listen on 127.0.0.1 or a unix socket, and use an SSH "
             "tunnel or a proxy with TLS\n");
}

Result<transport::ServeEnd> serve_http(const VerbCall& call, const Config& config,
                                       const protocol::Server& server, transport::Hub& hub) {
  // Checked when it was merged.
  const auto address = TRY(transport::parse_address(config.values("http")[0]));
  const std::string token_file = token_file_of(config, address);
  std::shared_ptr<const Authenticator> authenticator =
      TRY(authenticator_of(call, token_file, token_place_of(config)));
  std::vector<std::string> hosts = config.values("allow_host");
  if (!address.is_unix()) hosts.push_back(address.host_name());

  transport::McpEndpoint endpoint(server, hub, *call.parts.entropy);
  const auto http = TRY(
      transport::HttpServer::listen(address, {.clock = &*call.parts.clock},
                                    transport::Guard(std::move(hosts), std::move(authenticator)),
                                    {endpoint.route(std::string(mcp_path))}));
  const auto signals = TRY(transport::StopSignals::install());
  TRY(write_text(call.world.errors, exposure_warning(http->address())));
  TRY(write_text(call.world.output,
                 cat("listening on ", printable_line(url_of(http->address())), '\n')));
  if (call.world.errors_are_terminal) {
    TRY(write_text(call.world.errors, http_greeting(config, url_of(http->address()), token_file)));
  }
  MonoMs stopped{};
  const bool answered = http->run(signals.fd(), [&] {
    stopped = call.parts.clock->mono();
    endpoint.stop();
  });
  // One limit for both: answers that are not taken leave less time to calls that continue.
  const std::int64_t spent = call.parts.clock->mono().value - stopped.value;
  const bool finished = endpoint.finish(
      std::clamp<std::int64_t>(limits::drain_ms_max - spent, 0, limits::drain_ms_max));
  return answered && finished ? transport::ServeEnd::drained
                              : transport::ServeEnd::calls_still_running;
}

}  // namespace baton::cli
