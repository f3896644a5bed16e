// Links: base protocol transport
// Any text as the id that a client resumes a stream with: what is read is written the same, and a
// session replays exactly what came after it, or nothing at all.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/core/result.h"
#include "transport/http/session.h"

namespace baton::transport {
namespace {

constexpr std::uint64_t events = 3;

/// A session with one finished stream of three events.
std::shared_ptr<HttpSession> make_session() {
  auto session = std::make_shared<HttpSession>("s", "local", 1);
  const auto exchange = std::make_shared<Exchange>(std::size_t{1} << 20);
  const std::uint64_t stream = session->open_stream(exchange);
  for (std::uint64_t i = 0; i < events; ++i) session->send(stream, "{}");
  session->finish(stream);
  return session;
}

void check(std::string_view text) {
  static const std::shared_ptr<HttpSession> session = make_session();
  const auto id = event_id_from(text);
  if (!id) return;
  ASSERT(to_text(*id) == text);
  const auto exchange = std::make_shared<Exchange>(std::size_t{1} << 20);
  const bool resumed = session->resume(*id, exchange);
  ASSERT(resumed == (id->stream == 1 && id->event <= events));
}

}  // namespace
}  // namespace baton::transport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  baton::transport::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
