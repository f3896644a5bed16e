#pragma once
// The words of a text, brought to one form so that a search finds them however they were written:
// Unicode compatibility forms, accents composed, case folded (NFKC_Casefold). Pure functions.

#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// The words of `text` in order, repeats included: runs of letters, marks and digits.
///
/// Never fails: a byte that is not UTF-8 separates words like a space; what lies past
/// limits::search_text_bytes_max bytes or limits::search_tokens_max words is not looked at; a word
/// of more than limits::search_token_bytes_max bytes is cut there, on both sides of a search alike.
std::vector<std::string> search_tokens(std::string_view text);

/// `text` with every letter in lower case, character by character. REQUIRES: `text` is UTF-8.
std::string lower_case(std::string_view text);

}  // namespace baton
