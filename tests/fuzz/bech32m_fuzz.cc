// Links: base
// Bech32m: what can be decoded has one spelling; what is encoded is decoded; one wrong character
// is found.

#include "base/text/bech32m.h"

#include <algorithm>

#include "base/core/result.h"

namespace baton {

namespace {

void check_text(std::string_view text) {
  const auto decoded = bech32m::decode(text);
  if (decoded) ASSERT(bech32m::encode(decoded->hrp, decoded->bytes) == text);
}

/// `wrong` picks the character to change and what to change it to.
void check_bytes(std::span<const std::uint8_t> bytes, std::size_t wrong) {
  const std::string text = bech32m::encode("ack", bytes);
  const auto decoded = bech32m::decode(text);
  ASSERT(decoded && decoded->hrp == "ack");
  ASSERT(std::ranges::equal(decoded->bytes, bytes));
  std::string changed = text;
  char& c = changed[wrong % text.size()];
  c = c == 'q' ? 'p' : 'q';
  ASSERT(!bech32m::decode(changed));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_text({reinterpret_cast<const char*>(data), size});
  if (size > 0) check_bytes({data + 1, std::min<std::size_t>(size - 1, 40)}, data[0]);
  return 0;
}

}  // namespace baton
