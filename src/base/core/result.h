#pragma once
// Error: what went wrong as a value: a code to branch on, a message that alone is enough to act
// on, the next move, and whether trying again can help.
//
// Result<T>: a value or an Error. Nothing throws across a room's border.
//
//   Result<Run> load(RunId id) {
//     const Row row = TRY(store.row(id));   // returns the error to our caller
//     ...
//   }

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/core/assert.h"

namespace baton {

enum class Code : std::uint8_t {
#define CODE(name, retry, meaning) name,
#include "base/core/codes.inc"
#undef CODE
};

enum class RetryKind : std::uint8_t { not_retryable, retry_with_changes, retry_after };

struct Retry {
  RetryKind kind = RetryKind::not_retryable;
  std::optional<std::int64_t> after_ms;  // only with retry_after

  bool operator==(const Retry&) const = default;
};

enum class Move : std::uint8_t {
#define MOVE(name, words) name,
#include "base/core/next_moves.inc"
#undef MOVE
};

/// What the caller can do next, as facts. Each surface says it in its own words; where there
/// is no surface, `text()` says it.
struct NextMove {
  Move kind = Move::none;
  std::string value;  // what the kind needs; of advice, all of it

  NextMove() = default;
  NextMove(Move move, std::string with = {}) : kind(move), value(std::move(with)) {}
  /// Advice that holds wherever it is read. Empty for none.
  NextMove(std::string advice)
      : kind(advice.empty() ? Move::none : Move::advice), value(std::move(advice)) {}
  NextMove(std::string_view advice) : NextMove(std::string(advice)) {}
  NextMove(const char* advice) : NextMove(std::string(advice)) {}

  bool empty() const { return kind == Move::none; }
  /// In words that name no tool, argument or flag.
  std::string text() const;

  bool operator==(const NextMove&) const = default;
};

struct Error {
  Code code = Code::INTERNAL;
  std::string message;
  NextMove next;
  Retry retry;

  /// An error with the retry kind that its code usually has.
  static Error make(Code code, std::string message, NextMove next = {});

  Error&& with_retry_after(std::int64_t ms) &&;

  bool operator==(const Error&) const = default;
};

struct CodeInfo {
  Code code;
  std::string_view name;
  RetryKind retry;
  std::string_view meaning;
};

[[noreturn]] void panic(const char* file, int line, const char* what, const Error& error);

std::string_view name_of(Code code);
std::string_view name_of(RetryKind kind);

/// Every public code, in alphabetical order.
std::span<const CodeInfo> all_codes();

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

// The counter gives every use its own name, so that a TRY may be inside another.
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
