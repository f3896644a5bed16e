#pragma once
// Framing: where a request's head, body, chunks and trailer end, as RFC 9112 says and no more
// leniently. Two readers of the same bytes must never see two different requests, so all that could
// be read in two ways is refused, and its connection is closed.
//
// Values only; any thread.

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "base/core/limits.h"
#include "transport/http/message.h"

namespace baton::transport {

/// Finds the end of a head while it arrives, and at once what no head may hold: control characters,
/// a line feed or a carriage return alone, a folded line, too many fields.
class HeadScanner {
 public:
  enum class Found : std::uint8_t { nothing_yet, end, malformed, too_many_fields };

  /// `bytes` are all that came so far, those of earlier calls included.
  Found scan(std::string_view bytes);

  /// What has been looked at; after `end` the size of the head.
  std::size_t scanned() const { return scanned_; }

 private:
  std::size_t scanned_ = 0;
  std::size_t lines_ = 0;
  bool at_line_start_ = true;
  bool after_return_ = false;  // a line feed must follow
};

/// What follows a head.
struct BodyFraming {
  bool is_chunked = false;
  std::uint64_t bytes = 0;  // when it is not chunked

  bool operator==(const BodyFraming&) const = default;
};

/// The framing that the fields of `head` announce. 400 for what is ambiguous or malformed, 501 for
/// a transfer coding other than chunked.
std::expected<BodyFraming, HttpResponse> framing_of(const HttpRequest& head);

/// The line that begins a chunk, without its line end.
struct ChunkLine {
  std::uint64_t size = 0;
  std::size_t extension_bytes = 0;
};

/// Nothing for anything but a size and well-formed extensions, which have no meaning here.
std::optional<ChunkLine> chunk_line_of(std::string_view line);

/// Whether a line, without its end, is `name: value`.
bool is_field_line(std::string_view line);

/// Whether a line that has not ended can no longer become a well-formed one. Its last byte may be
/// the carriage return of its end.
bool has_control(std::string_view unfinished);

}  // namespace baton::transport
