// Links: base
// Words of a search: any bytes give bounded words of valid text, in a form that stays the same.

#include "base/text/search.h"

#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/text/utf8.h"

namespace baton {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto tokens = search_tokens({reinterpret_cast<const char*>(data), size});
  ASSERT(tokens.size() <= limits::search_tokens_max);
  for (const std::string& token : tokens) {
    ASSERT(!token.empty() && token.size() <= limits::search_token_bytes_max);
    ASSERT(utf8::is_valid(token));
  }
  return 0;
}

}  // namespace baton
