// Links: base protocol transport
// Any bytes as an HTTP request, head and body: no crash, bounded memory, and the same request
// however the bytes are cut. A fault may be seen sooner or later, but what is refused when it comes
// at once is never taken when it comes in pieces. A head that is taken is framed in one way and
// holds nothing that another reader could take for a line end. What the guard lets in has one Host.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/core/result.h"
#include "base/text/text.h"
#include "transport/http/accept.h"
#include "transport/http/framing.h"
#include "transport/http/guard.h"
#include "transport/http/request_reader.h"

namespace baton::transport {
namespace {

constexpr ReadBounds bounds{.head_bytes_max = 512, .body_bytes_max = 1'024};

struct Outcome {
  int refusal = 0;
  RequestReader::Stage stage = RequestReader::Stage::head;
  HttpRequest request = {};

  bool complete() const { return stage == RequestReader::Stage::complete; }
};

Outcome read(std::string_view bytes, std::size_t step) {
  RequestReader reader(bounds);
  Outcome out;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    reader.feed(piece);
    for (;;) {
      const auto stage = reader.advance();
      if (!stage) return {.refusal = stage.error().status};
      if (*stage == out.stage) break;
      out.stage = *stage;
    }
    if (out.stage == RequestReader::Stage::complete) break;
  }
  if (out.stage != RequestReader::Stage::head) out.request = reader.request();
  return out;
}

/// Every line feed ends a line with the carriage return before it, and no line is folded.
bool has_whole_lines(std::string_view head) {
  for (std::size_t i = 0; i < head.size(); ++i) {
    const bool is_end = head[i] == '\n' && i > 0 && head[i - 1] == '\r';
    if (head[i] == '\n' && !is_end) return false;
    if (head[i] == '\r' && (i + 1 == head.size() || head[i + 1] != '\n')) return false;
    if (head[i] == '\0') return false;
    const bool is_blank = i + 1 < head.size() && (head[i + 1] == ' ' || head[i + 1] == '\t');
    if (is_end && is_blank) return false;
  }
  return true;
}

void check_framing(std::string_view bytes, const Outcome& outcome) {
  const HttpRequest& request = outcome.request;
  ASSERT(has_whole_lines(bytes.substr(0, bytes.find("\r\n\r\n") + 4)));
  ASSERT(request.headers.size() <= limits::http_fields_max);
  ASSERT(request.count("content-length") <= 1);
  const std::string* const coding = request.header("transfer-encoding");
  ASSERT(coding == nullptr || (request.count("content-length") == 0 && !request.http_1_0));
  ASSERT(coding == nullptr || ascii_lower(*coding) == "chunked");
  if (coding == nullptr && outcome.complete()) {
    const std::string* const length = request.header("content-length");
    ASSERT(request.body.size() ==
           static_cast<std::size_t>(length == nullptr ? 0 : parse_int(*length).value_or(-1)));
  }
}

/// Lines between chunks, by themselves.
void check_lines(std::string_view line) {
  if (const auto chunk = chunk_line_of(line)) {
    ASSERT(!has_control(line) && !line.ends_with('\r'));
    ASSERT(chunk->extension_bytes < line.size());
    const std::string_view rest = line.substr(line.size() - chunk->extension_bytes);
    ASSERT(rest.empty() || rest.contains(';'));
  }
  if (is_field_line(line)) ASSERT(line.find(':') > 0 && !has_control(line));
}

void check(std::string_view bytes) {
  check_lines(bytes);
  static const Guard guard({"box.example"}, std::make_shared<BearerSecret>("s3cret"));
  const Outcome whole = read(bytes, bytes.size() + 1);
  const Outcome cut = read(bytes, 1);
  ASSERT(!(whole.refusal != 0 && cut.complete()) && !(cut.refusal != 0 && whole.complete()));
  if (whole.refusal == 0 && cut.refusal == 0) {
    ASSERT(whole.stage == cut.stage && whole.request.body == cut.request.body);
    ASSERT(whole.request.headers.size() == cut.request.headers.size());
  }
  ASSERT(whole.request.body.size() <= bounds.body_bytes_max);
  if (whole.stage == RequestReader::Stage::head) return;
  check_framing(bytes, whole);
  // The client named what it accepts.
  const Accepted accepted = accepted_by(whole.request);
  ASSERT((accepted.json && accepted.stream) || whole.request.count("accept") > 0);
  if (guard.admit(whole.request)) {
    ASSERT(whole.request.count("host") == 1);
    ASSERT(whole.request.count("authorization") == 1);
  }
}

}  // namespace
}  // namespace baton::transport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  baton::transport::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
