#pragma once
// Base64 by RFC 4648, strict: no spaces, no missing or superfluous padding, no bits left over.

#include <optional>
#include <string>
#include <string_view>

namespace baton {

/// The usual alphabet, padded.
std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

/// The alphabet that is safe in URLs and file names, without padding.
std::string to_base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace baton
