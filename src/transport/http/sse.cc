#include "transport/http/sse.h"

#include <charconv>

#include "base/text/text.h"

namespace baton::transport {
namespace {

/// A number as it is written: no sign, no leading zero, all of the text.
std::optional<std::uint64_t> number_from(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  return number;
}

}  // namespace

std::string to_text(EventId id) { return cat(id.stream, '-', id.event); }

std::optional<EventId> event_id_from(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto stream = number_from(text.substr(0, dash));
  const auto event = number_from(text.substr(dash + 1));
  if (!stream || !event) return std::nullopt;
  return EventId{*stream, *event};
}

std::string sse_event(std::string_view line, std::optional<EventId> id) {
  return id ? cat("id: ", to_text(*id), "\ndata: ", line, "\n\n") : cat("data: ", line, "\n\n");
}

std::string sse_priming(EventId id, std::int64_t retry_ms) {
  return cat("id: ", to_text(id), "\nretry: ", retry_ms, "\ndata: \n\n");
}

std::string sse_retry(std::int64_t retry_ms) { return cat("retry: ", retry_ms, "\n\n"); }

}  // namespace baton::transport
