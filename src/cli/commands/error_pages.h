#pragma once
// The pages of docs/errors and docs/blockers as part of the program. Constant data.

#include <span>
#include <string_view>

namespace baton::cli {

struct EmbeddedText {
  std::string_view name;  // "TOKEN_EXPIRED.md"
  std::string_view text;
};

std::span<const EmbeddedText> error_pages();
std::span<const EmbeddedText> blocker_pages();

}  // namespace baton::cli
