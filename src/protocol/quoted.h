#pragma once
// A caller's own words inside a message to it. Private to the protocol room.

#include <string>
#include <string_view>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::protocol {

/// `text` as much as limits::schema_shown_bytes_max shows, for quoting.
inline std::string shown(std::string_view text) {
  const std::string_view start = utf8::prefix(text, limits::schema_shown_bytes_max);
  return cat(start, start.size() < text.size() ? "..." : "");
}

inline std::string in_quotes(std::string_view text) { return cat('\'', shown(text), '\''); }

}  // namespace baton::protocol
