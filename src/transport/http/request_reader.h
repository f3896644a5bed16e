#pragma once
// RequestReader: bytes in, one HTTP/1.x request out. It stops once after the head, so that a caller
// may refuse a request before reading its body. Sizes are bounded as they arrive.
//
// Owned by one connection; not thread-safe. The one place that knows Beast, which parses the lines
// of a head after framing.h has looked at its bytes. Where the body ends is decided by framing.h
// alone: Beast takes an unknown transfer coding for no body.

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/limits.h"
#include "transport/http/framing.h"
#include "transport/http/message.h"

namespace baton::transport {

struct ReadBounds {
  std::size_t head_bytes_max = limits::http_head_bytes_max;
  std::size_t body_bytes_max = limits::message_bytes_max;
};

class RequestReader {
 public:
  explicit RequestReader(ReadBounds bounds);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  void feed(std::string_view bytes) { pending_ += bytes; }

  enum class Stage : std::uint8_t { head, body, complete };

  /// Continues with what was fed, at most to the next stage; the refusal of an invalid request.
  std::expected<Stage, HttpResponse> advance();

  /// Whether any byte of the request has come.
  bool begun() const { return stage_ != Stage::head || !pending_.empty(); }

  /// Whether the head announces more than is taken: the next step of advance() refuses it, after
  /// the guard has checked the head.
  bool body_is_too_large() const { return !is_chunked_ && left_ > bounds_.body_bytes_max; }

  /// REQUIRES: the head is complete. Its body grows while it is read.
  HttpRequest& request();

  /// What is kept of the request, and of what came after it.
  std::size_t held_bytes() const;

  /// What was fed beyond the complete request.
  std::string take_rest() { return std::move(pending_); }

 private:
  class Parser;

  bool skip_empty_line();
  std::expected<std::size_t, HttpResponse> find_head();
  std::expected<Stage, HttpResponse> read_head();
  std::expected<Stage, HttpResponse> read_body();
  std::expected<Stage, HttpResponse> read_chunks();
  /// Whether it was there; nothing when it can no longer come.
  std::optional<bool> take_chunk_end(std::size_t& used);
  std::optional<HttpResponse> take_line(std::string_view line);
  std::optional<HttpResponse> take_trailer(std::string_view line);

  ReadBounds bounds_;
  std::unique_ptr<Parser> parser_;
  std::string pending_;  // fed and not yet parsed
  HeadScanner scanner_;
  Stage stage_ = Stage::head;
  bool has_skipped_line_ = false;
  std::uint64_t left_ = 0;       // bytes to come of the body or of the chunk
  std::size_t aside_bytes_ = 0;  // extensions of chunks and trailers, so far
  std::size_t trailers_ = 0;     // so far
  bool is_chunked_ = false;
  bool chunk_ends_ = false;  // an empty line is to follow the data of a chunk
  bool in_trailer_ = false;
};

}  // namespace baton::transport
