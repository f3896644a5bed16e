#pragma once
// Guard: which requests are let in at all, decided by the head alone. Host and Origin are always
// checked, each for itself, so that no web page reaches a local server by a name it controls; then
// the Authenticator says who asks.
//
// Immutable; any thread.

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/sha256.h"
#include "transport/http/message.h"

namespace baton::transport {

/// Says on whose behalf a request comes, or how to refuse it.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  virtual std::expected<std::string, HttpResponse> principal_of(const HttpRequest& head) const = 0;
};

/// Every client that can connect is "local": for a socket that only its owner can open.
class AllowAll final : public Authenticator {
 public:
  std::expected<std::string, HttpResponse> principal_of(const HttpRequest& head) const override;
};

/// `Authorization: Bearer SECRET` makes the caller "local". Keeps the secret's digest only, and
/// compares digests, so that the time of a refusal tells nothing.
class BearerSecret final : public Authenticator {
 public:
  explicit BearerSecret(std::string_view secret) : digest_(sha256(secret)) {}
  std::expected<std::string, HttpResponse> principal_of(const HttpRequest& head) const override;

 private:
  Sha256 digest_;
};

class Guard {
 public:
  /// `hosts` are names besides localhost and the loopback addresses, without ports.
  Guard(std::vector<std::string> hosts, std::shared_ptr<const Authenticator> authenticator);

  /// Who asks. The port in Host and Origin is not looked at: forwarding changes it.
  std::expected<std::string, HttpResponse> admit(const HttpRequest& head) const;

 private:
  bool knows_host(std::string_view authority) const;
  bool knows_origin(std::string_view origin) const;

  std::vector<std::string> hosts_;
  std::shared_ptr<const Authenticator> authenticator_;
};

}  // namespace baton::transport
