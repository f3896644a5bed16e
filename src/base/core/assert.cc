#include "base/core/assert.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace baton {

void panic(const char* file, int line, const char* what, std::string_view why) {
  std::fprintf(stderr, "baton: internal error at %s:%d: %s\n", file, line, what);
  // A message may hold what a caller sent, which must not steer the terminal.
  std::string shown(why);
  std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  if (!shown.empty()) std::fprintf(stderr, "  %s\n", shown.c_str());
  std::abort();
}

}  // namespace baton
