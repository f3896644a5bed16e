#include "transport/http/request_reader.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "base/result.h"

namespace baton::transport {
namespace {

namespace beast_http = boost::beast::http;
using ErrorCode = boost::system::error_code;

HttpResponse no_request() { return text_response(400, "This is no HTTP/1.1 request."); }

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

/// The size of the head when all of it was fed, else 0. Nothing of it is parsed before that.
std::expected<std::size_t, HttpResponse> RequestReader::find_head() {
  constexpr std::string_view end = "\r\n\r\n";
  if (pending_.empty()) return 0;
  // A handshake of TLS, or another protocol altogether, is told at its first byte.
  if (pending_.front() < 'A' || pending_.front() > 'Z') return std::unexpected(no_request());
  const std::size_t found = pending_.find(end, scanned_);
  const std::size_t size = found == std::string::npos ? pending_.size() : found + end.size();
  if (size > bounds_.head_bytes_max) return std::unexpected(head_too_large());
  if (found != std::string::npos) return size;
  scanned_ = size < end.size() ? 0 : size - (end.size() - 1);
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
  pending_.erase(0, used);
  is_chunked_ = parser_->chunked();
  left_ = is_chunked_ ? 0 : parser_->content_length().value_or(0);
  stage_ = is_chunked_ || left_ > 0 ? Stage::body : Stage::complete;
  parser_->request.keep_alive = parser_->keep_alive();
  return stage_;
}

std::expected<RequestReader::Stage, HttpResponse> RequestReader::read_body() {
  if (body_is_too_large()) return std::unexpected(body_too_large());
  const std::size_t taken = std::min(left_, pending_.size());
  parser_->request.body.append(pending_, 0, taken);
  pending_.erase(0, taken);
  left_ -= taken;
  if (left_ == 0) stage_ = Stage::complete;
  return stage_;
}

std::expected<RequestReader::Stage, HttpResponse> RequestReader::read_chunks() {
  std::size_t used = 0;
  while (stage_ == Stage::body) {
    const std::size_t taken = std::min(left_, pending_.size() - used);
    parser_->request.body.append(pending_, used, taken);
    used += taken;
    left_ -= taken;
    if (left_ > 0) break;
    const std::size_t end = pending_.find("\r\n", used);
    // What a chunk says about itself is not counted as body, so it is bounded like a head.
    if (std::min(end, pending_.size()) - used + trailer_bytes_ > bounds_.head_bytes_max) {
      return std::unexpected(head_too_large());
    }
    if (end == std::string::npos) break;
    if (auto problem = take_line(std::string_view(pending_).substr(used, end - used))) {
      return std::unexpected(std::move(*problem));
    }
    used = end + 2;
  }
  pending_.erase(0, used);
  return stage_;
}

/// A line between the data of chunks: the end of a chunk, the size of one, or a trailer, of which
/// nothing is kept: it comes after the head was checked.
std::optional<HttpResponse> RequestReader::take_line(std::string_view line) {
  if (std::exchange(chunk_ends_, false)) {
    return line.empty() ? std::nullopt : std::optional(no_request());
  }
  if (in_trailer_) {
    trailer_bytes_ += line.size();
    if (line.empty()) stage_ = Stage::complete;
    return std::nullopt;
  }
  const std::string_view digits = line.substr(0, line.find_first_of("; \t"));
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return no_request();
  if (size > bounds_.body_bytes_max - parser_->request.body.size()) return body_too_large();
  left_ = size;
  chunk_ends_ = size > 0;
  in_trailer_ = size == 0;
  return std::nullopt;
}

HttpRequest& RequestReader::request() {
  ASSERT(stage_ != Stage::head);
  return parser_->request;
}

}  // namespace baton::transport
