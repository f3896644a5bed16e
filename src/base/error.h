#pragma once
// Error: what went wrong as a value: a code to branch on, a message that alone is enough to act
// on, the next move, and whether trying again can help.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

enum class Code : std::uint8_t {
#define CODE(name, retry, meaning) name,
#include "base/codes.inc"
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
#include "base/next_moves.inc"
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

}  // namespace baton
