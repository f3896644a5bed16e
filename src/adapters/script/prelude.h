#pragma once
// The files *.js of this folder as part of the program. Constant data.

#include <span>
#include <string_view>

namespace baton::adapters {

struct EmbeddedText {
  std::string_view name;  // "prelude.js"
  std::string_view text;
};

std::span<const EmbeddedText> script_texts();

}  // namespace baton::adapters
