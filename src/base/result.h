#pragma once
// Result<T>: a value or an Error. Nothing throws across a room's border.
//
//   Result<Run> load(RunId id) {
//     const Row row = TRY(store.row(id));   // returns the error to our caller
//     ...
//   }

#include <expected>
#include <type_traits>
#include <utility>

#include "base/assert.h"
#include "base/error.h"

namespace baton {

template <class T>
using Result = std::expected<T, Error>;

/// The usual way to end a function with an error: `return fail(Code::NOT_FOUND, "...", "...")`.
[[nodiscard]] inline std::unexpected<Error> fail(Code code, std::string message,
                                                 NextMove next = {}) {
  return std::unexpected(Error::make(code, std::move(message), std::move(next)));
}

/// Takes the value out of a Result that holds one. Unlike operator*, its value may be left unused:
/// TRY(f()) alone passes the error on and drops the value.
template <class R>
typename std::remove_cvref_t<R>::value_type value_of(R&& result) {
  return *std::forward<R>(result);
}

}  // namespace baton

#define BATON_JOIN_(a, b) a##b
#define BATON_JOIN(a, b) BATON_JOIN_(a, b)

// The counter gives every use its own name, so that a TRY may stand inside another.
#define BATON_TRY_(result, expression)                   \
  __extension__({                                        \
    auto&& result = (expression);                        \
    if (!result) [[unlikely]]                            \
      return std::unexpected(std::move(result).error()); \
    ::baton::value_of(std::move(result));                \
  })
#define BATON_MUST_(result, expression)                                \
  __extension__({                                                      \
    auto&& result = (expression);                                      \
    if (!result) [[unlikely]]                                          \
      ::baton::panic(__FILE__, __LINE__, #expression, result.error()); \
    ::baton::value_of(std::move(result));                              \
  })

/// Yields the value of a Result, or returns its error from the enclosing function.
#define TRY(expression) BATON_TRY_(BATON_JOIN(try_result_, __COUNTER__), expression)

/// Yields the value of a Result that is proven to hold one; say the proof in a comment at the call.
#define MUST(expression) BATON_MUST_(BATON_JOIN(must_result_, __COUNTER__), expression)
