#pragma once
// Result<T>: a value or an Error. Nothing throws across a room's border.
//
//   Result<Run> load(RunId id) {
//     const Row row = TRY(store.row(id));   // returns the error to our caller
//     ...
//   }

#include <expected>
#include <utility>

#include "base/error.h"

namespace baton {

template <class T>
using Result = std::expected<T, Error>;

/// The usual way to end a function with an error: `return fail(Code::NOT_FOUND, "...", "...")`.
[[nodiscard]] inline std::unexpected<Error> fail(Code code, std::string message,
                                                 std::string hint = {}) {
  return std::unexpected(Error::make(code, std::move(message), std::move(hint)));
}

[[noreturn]] void panic(const char* file, int line, const char* what, const Error* error = nullptr);

}  // namespace baton

/// Yields the value of a Result, or returns its error from the enclosing function.
#define TRY(expression)                                       \
  __extension__({                                             \
    auto&& try_result_ = (expression);                        \
    if (!try_result_) [[unlikely]]                            \
      return std::unexpected(std::move(try_result_).error()); \
    *std::move(try_result_);                                  \
  })

/// Yields the value of a Result that is proven to hold one; say the proof in a comment at the call.
#define MUST(expression)                                                      \
  __extension__({                                                             \
    auto&& must_result_ = (expression);                                       \
    if (!must_result_) [[unlikely]]                                           \
      ::baton::panic(__FILE__, __LINE__, #expression, &must_result_.error()); \
    *std::move(must_result_);                                                 \
  })

/// An invariant of ours, on in every build. Operating errors are Results, never ASSERTs.
#define ASSERT(condition)                             \
  do {                                                \
    if (!(condition)) [[unlikely]]                    \
      ::baton::panic(__FILE__, __LINE__, #condition); \
  } while (false)
