#include "transport/http/request_reader.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/result.h"

namespace baton::transport {
namespace {

namespace beast_http = boost::beast::http;
using ErrorCode = boost::system::error_code;

HttpResponse no_request() { return text_response(400, "This is no HTTP/1.1 request."); }

HttpResponse head_too_large() { return text_response(431, "The request's head is too large."); }

HttpResponse refusal_of(const ErrorCode& error) {
  if (error == beast_http::error::header_limit) return head_too_large();
  if (error == beast_http::error::body_limit) {
    return text_response(413, "The request's body is too large.");
  }
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
    // A trailer comes after the head was checked, so it must not add to it.
    if (head_ended_) return;
    request.headers.push_back({lower_case(to_std(name)), std::string(to_std(value))});
  }

  void on_header_impl(ErrorCode&) override { head_ended_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}

  std::size_t on_body_impl(boost::beast::string_view piece, ErrorCode&) override {
    request.body += to_std(piece);
    return piece.size();
  }

  void on_chunk_header_impl(std::uint64_t, boost::beast::string_view, ErrorCode&) override {}

  std::size_t on_chunk_body_impl(std::uint64_t, boost::beast::string_view piece,
                                 ErrorCode&) override {
    request.body += to_std(piece);
    return piece.size();
  }

  void on_finish_impl(ErrorCode&) override {}

  bool head_ended_ = false;
};

RequestReader::RequestReader(ReadBounds bounds)
    : bounds_(bounds), parser_(std::make_unique<Parser>()) {
  // Beast takes fields one by one and counts each for itself; the whole head is bounded here.
  parser_->header_limit(static_cast<std::uint32_t>(bounds.head_bytes_max));
  parser_->body_limit(bounds.body_bytes_max);
}

RequestReader::~RequestReader() = default;

std::expected<RequestReader::Stage, HttpResponse> RequestReader::advance() {
  if (stage_ == Stage::complete) return stage_;
  if (stage_ == Stage::head) {
    const auto here = head_is_here();
    if (!here) return std::unexpected(here.error());
    if (!*here) return stage_;
  }
  return parse();
}

/// Whether the whole head was fed. Nothing of it is parsed before that.
std::expected<bool, HttpResponse> RequestReader::head_is_here() {
  constexpr std::string_view end = "\r\n\r\n";
  if (pending_.empty()) return false;
  // A handshake of TLS, or another protocol altogether, is told at its first byte.
  if (pending_.front() < 'A' || pending_.front() > 'Z') return std::unexpected(no_request());
  const std::size_t found = pending_.find(end, scanned_);
  const std::size_t size = found == std::string::npos ? pending_.size() : found + end.size();
  if (size > bounds_.head_bytes_max) return std::unexpected(head_too_large());
  if (found != std::string::npos) return true;
  scanned_ = size < end.size() ? 0 : size - (end.size() - 1);
  return false;
}

std::expected<RequestReader::Stage, HttpResponse> RequestReader::parse() {
  const Stage before = stage_;
  std::size_t used = 0;
  while (stage_ == before && used < pending_.size()) {
    ErrorCode error;
    const auto rest = std::string_view(pending_).substr(used);
    used += parser_->put(boost::asio::buffer(rest.data(), rest.size()), error);
    if (error == beast_http::error::need_more) break;
    if (error) return std::unexpected(refusal_of(error));
    if (parser_->is_header_done() && stage_ == Stage::head) stage_ = Stage::body;
    if (parser_->is_done()) stage_ = Stage::complete;
  }
  pending_.erase(0, used);
  // What a chunk says about itself is not counted as body, so it is bounded like a head.
  if (stage_ == before && pending_.size() > bounds_.head_bytes_max) {
    return std::unexpected(head_too_large());
  }
  if (stage_ != Stage::head) parser_->request.keep_alive = parser_->keep_alive();
  return stage_;
}

HttpRequest& RequestReader::request() {
  ASSERT(stage_ != Stage::head);
  return parser_->request;
}

}  // namespace baton::transport
