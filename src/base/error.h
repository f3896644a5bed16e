#pragma once
// Error: what went wrong as a value: a code to branch on, a message that alone is enough to act
// on, a hint that names the next move, and whether trying again can help.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

struct Error {
  Code code = Code::INTERNAL;
  std::string message;
  std::string hint;
  Retry retry;

  /// An error with the retry kind that its code usually has.
  static Error make(Code code, std::string message, std::string hint = {});

  Error&& with_retry_after(std::int64_t ms) &&;

  bool operator==(const Error&) const = default;
};

struct CodeInfo {
  Code code;
  std::string_view name;
  RetryKind retry;
  std::string_view meaning;
};

std::string_view name_of(Code code);
std::string_view name_of(RetryKind kind);

/// Every public code, in alphabetical order.
std::span<const CodeInfo> all_codes();

}  // namespace baton
