// Links: base
// UTF-8: the first byte of the input is a budget, the rest a text. A cut text holds its budget, is
// a prefix, and cuts no character.

#include "base/text/utf8.h"

#include "base/core/result.h"

namespace baton {

namespace {

void check_first_invalid(std::string_view text) {
  const auto bad = utf8::first_invalid(text);
  if (!bad) return;
  ASSERT(*bad < text.size());
  ASSERT(utf8::is_valid(text.substr(0, *bad)));
  ASSERT(utf8::first_invalid(text.substr(*bad)) == 0u);
}

void check_cut(std::string_view text, std::size_t budget) {
  const std::string_view kept = utf8::prefix(text, budget);
  ASSERT(kept.size() <= budget);
  ASSERT(text.starts_with(kept));
  ASSERT(utf8::is_valid(kept));
  ASSERT(kept.size() == text.size() || kept.size() + 4 > budget);

  const std::string cut = utf8::truncate(text, budget);
  ASSERT(cut.size() <= budget);
  ASSERT(utf8::is_valid(cut));
  if (text.size() <= budget) {
    ASSERT(cut == text);
  } else if (budget >= utf8::truncation_mark.size()) {
    ASSERT(cut.ends_with(utf8::truncation_mark));
    ASSERT(text.starts_with(cut.substr(0, cut.size() - utf8::truncation_mark.size())));
  } else {
    ASSERT(text.starts_with(cut));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_first_invalid(text);
  const std::string_view valid = text.substr(0, utf8::first_invalid(text).value_or(text.size()));
  check_cut(valid, data[0]);
  check_cut(valid, valid.size());
  if (!valid.empty()) check_cut(valid, valid.size() - 1);
  return 0;
}

}  // namespace baton
