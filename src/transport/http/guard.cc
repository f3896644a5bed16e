#include "transport/http/guard.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::transport {
namespace {

/// The name in `name[:port]` or `[v6][:port]`, in lower case; empty when it is neither.
std::string host_of(std::string_view authority) {
  std::size_t end = authority.find(':');
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return {};
    end = bracket + 1;
  }
  const std::string_view port = authority.substr(std::min(end, authority.size()));
  const bool port_is_number = port.size() > 1 && port[0] == ':' &&
                              port.find_first_not_of("0123456789", 1) == std::string_view::npos;
  if (!port.empty() && !port_is_number) return {};
  return ascii_lower(authority.substr(0, end));
}

HttpResponse unauthorized(std::string text) {
  HttpResponse response = text_response(401, std::move(text));
  response.headers.push_back({"WWW-Authenticate", "Bearer realm=\"baton\""});
  return response;
}

}  // namespace

std::expected<std::string, HttpResponse> AllowAll::principal_of(const HttpRequest&) const {
  return "local";
}

std::expected<std::string, HttpResponse> BearerSecret::principal_of(const HttpRequest& head) const {
  constexpr std::string_view scheme = "bearer ";
  const std::string* const given = head.header("authorization");
  if (given == nullptr || head.count("authorization") != 1) {
    return std::unexpected(
        unauthorized("Send the header 'Authorization: Bearer SECRET', with the secret of the "
                     "server's token file."));
  }
  const std::string_view text = *given;
  const bool is_bearer = ascii_lower(text.substr(0, scheme.size())) == scheme;
  const Sha256 digest = sha256(is_bearer ? text.substr(scheme.size()) : std::string_view());
  unsigned difference = is_bearer ? 0 : 1;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    difference |= static_cast<unsigned>(digest.bytes[i] ^ digest_.bytes[i]);
  }
  if (difference != 0) {
    return std::unexpected(unauthorized("The secret is not the one of the server's token file."));
  }
  return "local";
}

Guard::Guard(std::vector<std::string> hosts, std::shared_ptr<const Authenticator> authenticator)
    : hosts_{"localhost", "127.0.0.1", "[::1]"}, authenticator_(std::move(authenticator)) {
  for (const std::string& host : hosts) hosts_.push_back(ascii_lower(host));
}

bool Guard::knows_host(std::string_view authority) const {
  return std::ranges::count(hosts_, host_of(authority)) != 0;
}

bool Guard::knows_origin(std::string_view origin) const {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return knows_host(origin.substr(scheme.size()));
  }
  return false;
}

std::expected<std::string, HttpResponse> Guard::admit(const HttpRequest& head) const {
  const std::string* const host = head.header("host");
  if (host == nullptr || head.count("host") != 1) {
    return std::unexpected(text_response(400, "A request needs one Host header."));
  }
  // A target may name a server too. Whichever of both is gone by, it must be this one.
  const auto authority = head.authority();
  if (!knows_host(*host) || (authority && !knows_host(*authority))) {
    return std::unexpected(text_response(
        403, cat(knows_host(*host) ? "The target" : "The Host header",
                 " names another server. Use localhost, or start the server with --allow-host "
                 "NAME.")));
  }
  for (const HttpHeader& header : head.headers) {
    if (header.name == "origin" && !knows_origin(header.value)) {
      return std::unexpected(text_response(
          403,
          "Pages of this Origin may not use the server. If they should, start it with "
          "--allow-host NAME."));
    }
  }
  return authenticator_->principal_of(head);
}

}  // namespace baton::transport
