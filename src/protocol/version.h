#pragma once
// Protocol revisions and the era of one request. The era is chosen by each request for itself and
// never pinned: a client may probe with server/discover and then still send initialize.
//
// Values only; no owner, any thread.

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "protocol/message.h"

namespace baton::protocol {

/// Ordered by date, so that "knows structured output" is `version >= Version::v2025_06_18`.
enum class Version : std::uint8_t {
  v2024_11_05,
  v2025_03_26,
  v2025_06_18,
  v2025_11_25,
  v2026_07_28,
};

inline constexpr Version newest_legacy_version = Version::v2025_11_25;

std::string_view name_of(Version version);
std::optional<Version> version_from(std::string_view name);

/// Modern requests say everything about themselves in `_meta`; legacy ones lean on `initialize`.
constexpr bool is_modern(Version version) { return version >= Version::v2026_07_28; }

/// What server/discover and the unsupported-version error list.
std::span<const Version> modern_versions();

namespace meta_key {
inline constexpr std::string_view protocol_version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view client_capabilities =
    "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view progress_token = "progressToken";
}  // namespace meta_key

/// Least to most severe, as syslog has them.
enum class LogLevel : std::uint8_t {
  debug,
  info,
  notice,
  warning,
  error,
  critical,
  alert,
  emergency,
};

std::string_view name_of(LogLevel level);
std::optional<LogLevel> log_level_from(std::string_view name);

/// What a legacy client settled by `initialize` and since, and who it is. One per stdio process or
/// legacy HTTP session, and a fresh one for every modern request over HTTP. Owned and guarded by
/// the transport, changed only by Server::accept.
struct ClientState {
  std::string principal = "local";
  bool initialized = false;
  Version legacy_version = newest_legacy_version;
  json::Object legacy_capabilities = {};
  LogLevel log_level = LogLevel::info;
  std::set<std::string, std::less<>> subscribed_uris = {};
  // By URI, what keeps watching for changes of it, if anything has to.
  std::map<std::string, std::shared_ptr<void>, std::less<>> watches = {};
};

/// What one request may rely on, in either era.
struct RequestContext {
  Version version = newest_legacy_version;
  json::Object client_capabilities;
  std::string principal;
  std::optional<json::Value> progress_token;  // a string or an integer
  std::optional<LogLevel> log_level;          // none: the caller wants no log messages
  json::Object trace;                         // traceparent, tracestate, baggage

  bool modern() const { return is_modern(version); }
};

/// Whether a request says of itself that it is modern. `_meta` with client capabilities but no
/// version is a modern request with a hole, not a legacy one.
bool is_modern(const json::Object& params);

/// What the transport knows of a request's version beside its body.
struct VersionHeader {
  bool expected = false;  // over HTTP: a modern request must repeat its version there
  std::string_view value = {};
};

/// Reads the era and checks what a modern request must carry.
std::expected<RequestContext, RpcError> context_of(const json::Object& params,
                                                   const ClientState& connection,
                                                   const VersionHeader& header = {});

/// Whether this is one modern request or notification. Over HTTP all others need a session, but for
/// initialize.
bool is_modern(const Incoming& incoming);
bool is_initialize(const Incoming& incoming);

}  // namespace baton::protocol
