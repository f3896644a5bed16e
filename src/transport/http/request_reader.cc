#include "transport/http/request_reader.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <utility>

#include "base/core/result.h"
#include "base/text/text.h"

namespace baton::transport {
namespace {

namespace beast_http = boost::beast::http;
using ErrorCode = boost::system::error_code;

HttpResponse no_request() { return text_response(400, "This is not an HTTP/1.1 request."); }

HttpResponse head_too_large() { return text_response(431, "The request's head is too large."); }

HttpResponse body_too_large() { return text_response(413, "The request's body is too large."); }

HttpResponse refusal_of(const ErrorCode& error) {
  if (error == beast_http::error::header_limit) return head_too_large();
  return no_request();
}

std::string_view to_std(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

class RequestReader::Parser final : public beast_http::basic_parser<true> {
 public:
  HttpRequest request;

 private:
  void on_request_impl(beast_http::verb, boost::beast::string_view method,
                       boost::beast::string_view target, int version, ErrorCode&) override {
    request.method = to_std(method);
    request.target = to_std(target);
    request.http_1_0 = version < 11;
  }

  void on_response_impl(int, boost::beast::string_view, int, ErrorCode&) override {}

  void on_field_impl(beast_http::field, boost::beast::string_view name,
                     boost::beast::string_view value, ErrorCode&) override {
    request.headers.push_back({ascii_lower(to_std(name)), std::string(to_std(value))});
  }

  void on_header_impl(ErrorCode&) override {}
  // The body is read by RequestReader; Beast asserts things of a chunked one that clients decide.
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(boost::beast::string_view, ErrorCode&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, boost::beast::string_view, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, boost::beast::string_view, ErrorCode&) override {
    return 0;
  }
  void on_finish_impl(ErrorCode&) override {}
};

RequestReader::RequestReader(ReadBounds bounds)
    : bounds_(bounds), parser_(std::make_unique<Parser>()) {
  // Beast takes fields one by one and counts each for itself; the whole head is bounded here. The
  // body is too, when it is read.
  parser_->header_limit(static_cast<std::uint32_t>(bounds.head_bytes_max));
  parser_->body_limit(boost::none);
}

RequestReader::~RequestReader() = default;

std::expected<RequestReader::Stage, HttpResponse> RequestReader::advance() {
  switch (stage_) {
    case Stage::head: return read_head();
    case Stage::body: return is_chunked_ ? read_chunks() : read_body();
    case Stage::complete: break;
  }
  return stage_;
}

/// Passes over one empty line before the request line, which some clients send behind a body (RFC
/// 9112, 2.2). Whether what came may still be the beginning of that line.
bool RequestReader::skip_empty_line() {
  constexpr std::string_view line_end = "\r\n";
  if (has_skipped_line_ || !pending_.starts_with(line_end.front())) return false;
  if (pending_.size() < line_end.size()) return true;
  if (!pending_.starts_with(line_end)) return false;
  pending_.erase(0, line_end.size());
  has_skipped_line_ = true;
  return false;
}

/// The size of the head when all of it was fed, else 0. It is not parsed before that.
std::expected<std::size_t, HttpResponse> RequestReader::find_head() {
  if (skip_empty_line() || pending_.empty()) return 0;
  // A handshake of TLS, or another protocol altogether, is told at its first byte.
  if (pending_.front() < 'A' || pending_.front() > 'Z') return std::unexpected(no_request());
  const HeadScanner::Found found =
      scanner_.scan(std::string_view(pending_).substr(0, bounds_.head_bytes_max));
  switch (found) {
    case HeadScanner::Found::end: return scanner_.scanned();
    case HeadScanner::Found::malformed: return std::unexpected(no_request());
    case HeadScanner::Found::too_many_fields: return std::unexpected(head_too_large());
    case HeadScanner::Found::nothing_yet: break;
  }
  if (pending_.size() > bounds_.head_bytes_max) return std::unexpected(head_too_large());
  return 0;
}

std::expected<RequestReader::Stage, HttpResponse> RequestReader::read_head() {
  const auto bytes = find_head();
  if (!bytes) return std::unexpected(bytes.error());
  if (*bytes == 0) return stage_;
  ErrorCode error;
  const std::size_t used = parser_->put(boost::asio::buffer(pending_.data(), *bytes), error);
  // A head that has ended gets no more, even if Beast waits for more.
  if (error || !parser_->is_header_done()) return std::unexpected(refusal_of(error));
  const auto framing = framing_of(parser_->request);
  if (!framing) return std::unexpected(framing.error());
  pending_.erase(0, used);
  is_chunked_ = framing->is_chunked;
  left_ = framing->bytes;
  stage_ = is_chunked_ || left_ > 0 ? Stage::body : Stage::complete;
  parser_->request.keep_alive = parser_->keep_alive();
  return stage_;
}

std::expected<RequestReader::Stage, HttpResponse> RequestReader::read_body() {
  if (body_is_too_large()) return std::unexpected(body_too_large());
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, pending_.size()));
  parser_->request.body.append(pending_, 0, taken);
  pending_.erase(0, taken);
  left_ -= taken;
  if (left_ == 0) stage_ = Stage::complete;
  return stage_;
}

std::expected<RequestReader::Stage, HttpResponse> RequestReader::read_chunks() {
  std::size_t used = 0;
  while (stage_ == Stage::body) {
    const auto taken =
        static_cast<std::size_t>(std::min<std::uint64_t>(left_, pending_.size() - used));
    parser_->request.body.append(pending_, used, taken);
    used += taken;
    left_ -= taken;
    if (left_ > 0) break;
    const std::optional<bool> has_ended = take_chunk_end(used);
    if (!has_ended) return std::unexpected(no_request());
    if (!*has_ended) break;
    const std::size_t end = pending_.find("\r\n", used);
    const std::string_view line =
        std::string_view(pending_).substr(used, std::min(end, pending_.size()) - used);
    // What chunks say beside their data is not counted as body, so it is bounded like a head.
    if (line.size() + aside_bytes_ > bounds_.head_bytes_max) {
      return std::unexpected(head_too_large());
    }
    if (end == std::string::npos) {
      if (has_control(line)) return std::unexpected(no_request());
      break;
    }
    if (auto problem = in_trailer_ ? take_trailer(line) : take_line(line)) {
      return std::unexpected(std::move(*problem));
    }
    used = end + 2;
  }
  pending_.erase(0, used);
  return stage_;
}

std::optional<bool> RequestReader::take_chunk_end(std::size_t& used) {
  if (!chunk_ends_) return true;
  constexpr std::string_view end = "\r\n";
  const std::string_view came = std::string_view(pending_).substr(used, end.size());
  if (!end.starts_with(came)) return std::nullopt;
  if (came.size() < end.size()) return false;
  used += end.size();
  chunk_ends_ = false;
  return true;
}

/// The line that begins a chunk.
std::optional<HttpResponse> RequestReader::take_line(std::string_view line) {
  const auto chunk = chunk_line_of(line);
  if (!chunk) return no_request();
  if (chunk->size > bounds_.body_bytes_max - parser_->request.body.size()) return body_too_large();
  aside_bytes_ += chunk->extension_bytes;
  left_ = chunk->size;
  chunk_ends_ = left_ > 0;
  in_trailer_ = left_ == 0;
  return std::nullopt;
}

/// Trailers are dropped: they come after the head was checked.
std::optional<HttpResponse> RequestReader::take_trailer(std::string_view line) {
  if (line.empty()) {
    stage_ = Stage::complete;
    return std::nullopt;
  }
  if (!is_field_line(line)) return no_request();
  aside_bytes_ += line.size();
  if (++trailers_ > limits::http_fields_max) return head_too_large();
  return std::nullopt;
}

std::size_t RequestReader::held_bytes() const {
  return pending_.size() + parser_->request.body.size();
}

HttpRequest& RequestReader::request() {
  ASSERT(stage_ != Stage::head);
  return parser_->request;
}

}  // namespace baton::transport
