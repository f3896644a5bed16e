#pragma once
// ASSERT: an invariant of ours, on in every build. Operating errors are Results, never ASSERTs.

#include <string_view>

namespace baton {

/// Says on standard error where the program cannot continue, and ends it.
[[noreturn]] void panic(const char* file, int line, const char* what, std::string_view why = {});

}  // namespace baton

#define ASSERT(condition)                             \
  do {                                                \
    if (!(condition)) [[unlikely]]                    \
      ::baton::panic(__FILE__, __LINE__, #condition); \
  } while (false)
