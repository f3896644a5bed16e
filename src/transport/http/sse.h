#pragma once
// Server-sent events as text, and the ids that a legacy client resumes a stream with. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton::transport {

/// Names one event of one stream of a session: "3-17".
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t event = 0;

  bool operator==(const EventId&) const = default;
};

std::string to_text(EventId id);

/// Only the exact text that to_text() gives.
std::optional<EventId> event_id_from(std::string_view text);

/// One message; `line` has no line feed. The id is left out in the modern era.
std::string sse_event(std::string_view line, std::optional<EventId> id = {});

/// An id to resume from before there is any message, and how long to wait before doing so.
std::string sse_priming(EventId id, std::int64_t retry_ms);

/// How long to wait before reconnecting, sent just before a stream is closed.
std::string sse_retry(std::int64_t retry_ms);

inline constexpr std::string_view sse_comment = ":\n\n";

}  // namespace baton::transport
