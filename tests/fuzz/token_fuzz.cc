// Links: run
// Any text as a token: reading it ends, and what was read has one spelling.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text/bech32m.h"
#include "run/log/token.h"

namespace run = baton::run;

namespace {

void check(std::string_view text) {
  const auto token = run::decode_token(text);
  if (!token) {
    ASSERT(!token.error().message.empty());
    return;
  }
  const std::string canonical = run::encode_token(*token);
  ASSERT(canonical.size() <= run::token_text_max);
  // Text of version 1 says the same in other letters.
  const bool is_spelled_so = text.find(canonical) != std::string_view::npos;
  ASSERT(is_spelled_so || text.find("1z") != text.npos || text.find("1r") != text.npos);
  ASSERT(run::decode_token(canonical) == token);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  // A fuzzer seldom meets the checksum, so the same bytes are also read from behind a good one.
  if (size == 0 || size > 40) return 0;
  const auto kind = static_cast<run::TokenKind>(data[0] % 4);
  check(baton::bech32m::encode(run::prefix_of(kind), {data + 1, size - 1}));
  return 0;
}
