#include "base/core/result.h"

#include "base/text/text.h"

namespace baton {
namespace {

constexpr CodeInfo codes[] = {
#define CODE(name, retry, meaning) {Code::name, #name, RetryKind::retry, meaning},
#include "base/core/codes.inc"
#undef CODE
};

constexpr std::string_view move_words[] = {
#define MOVE(name, words) words,
#include "base/core/next_moves.inc"
#undef MOVE
};

}  // namespace

std::string NextMove::text() const {
  const std::string_view words = move_words[static_cast<std::size_t>(kind)];
  return words.empty() || value.empty() ? cat(words, value) : cat(words, ": ", value);
}

Error Error::make(Code code, std::string message, NextMove next) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.next = std::move(next);
  error.retry.kind = codes[static_cast<std::size_t>(code)].retry;
  return error;
}

Error&& Error::with_retry_after(std::int64_t ms) && {
  retry = {RetryKind::retry_after, ms};
  return std::move(*this);
}

void panic(const char* file, int line, const char* what, const Error& error) {
  panic(file, line, what, cat(name_of(error.code), ": ", error.message));
}

std::string_view name_of(Code code) { return codes[static_cast<std::size_t>(code)].name; }

std::string_view name_of(RetryKind kind) {
  switch (kind) {
    case RetryKind::not_retryable: return "not_retryable";
    case RetryKind::retry_with_changes: return "retry_with_changes";
    case RetryKind::retry_after: return "retry_after";
  }
  return "not_retryable";
}

std::span<const CodeInfo> all_codes() { return codes; }

}  // namespace baton
