// Links: base protocol transport
// Any bytes as an HTTP request, head and body: no crash, bounded memory, and the same request
// however the bytes are cut. A fault may be seen sooner or later, but what is refused when it comes
// at once is never taken when it comes in pieces. What the guard lets in has one Host.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "transport/http/accept.h"
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

void check(std::string_view bytes) {
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
  // Whoever says what it takes has said so.
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
