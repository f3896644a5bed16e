#pragma once
// A text that is part of the program, as cmake/Embed.cmake makes them. Constant data.

#include <string_view>

namespace baton {

struct EmbeddedText {
  std::string_view name;  // its path below the folder that the texts came from
  std::string_view text;
};

}  // namespace baton
