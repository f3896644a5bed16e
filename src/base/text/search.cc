#include "base/text/search.h"

#include <utf8proc.h>

#include <algorithm>

#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/text/utf8.h"

namespace baton {
namespace {

constexpr auto fold_options = static_cast<utf8proc_option_t>(
    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);

/// `text` up to its limit, with a space for every byte that is not UTF-8.
std::string readable(std::string_view text) {
  std::string_view rest = utf8::prefix(text, limits::search_text_bytes_max);
  std::string out;
  out.reserve(rest.size());
  while (const auto bad = utf8::first_invalid(rest)) {
    out += rest.substr(0, *bad);
    out += ' ';
    rest.remove_prefix(*bad + 1);
  }
  out += rest;
  return out;
}

/// Code points of the folded form. REQUIRES: `text` is UTF-8.
std::vector<utf8proc_int32_t> folded(const std::string& text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  const utf8proc_ssize_t needed = utf8proc_decompose(bytes, size, nullptr, 0, fold_options);
  ASSERT(needed >= 0);
  std::vector<utf8proc_int32_t> codes(static_cast<std::size_t>(needed));
  utf8proc_ssize_t count = utf8proc_decompose(bytes, size, codes.data(), needed, fold_options);
  ASSERT(count == needed);
  count = utf8proc_normalize_utf32(codes.data(), count, fold_options);
  ASSERT(count >= 0 && count <= needed);
  codes.resize(static_cast<std::size_t>(count));
  return codes;
}

bool is_in_word(utf8proc_int32_t code) {
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return true;
    default: return false;
  }
}

}  // namespace

std::vector<std::string> search_tokens(std::string_view text) {
  std::vector<std::string> tokens;
  std::string token;
  const auto finish = [&] {
    if (token.empty()) return;
    tokens.emplace_back(utf8::prefix(token, limits::search_token_bytes_max));
    token.clear();
  };
  for (const utf8proc_int32_t code : folded(readable(text))) {
    if (!is_in_word(code)) {
      finish();
    } else if (tokens.size() == limits::search_tokens_max) {
      return tokens;
    } else if (token.size() <= limits::search_token_bytes_max) {
      utf8::append(token, static_cast<char32_t>(code));
    }
  }
  finish();
  return tokens;
}

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t bytes = utf8proc_iterate(at, left, &code);
    ASSERT(bytes > 0);
    utf8::append(out, static_cast<char32_t>(utf8proc_tolower(code)));
    at += bytes;
    left -= bytes;
  }
  return out;
}

}  // namespace baton
