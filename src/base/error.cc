#include "base/error.h"

#include <cstdio>
#include <cstdlib>

#include "base/printable.h"
#include "base/result.h"

namespace baton {
namespace {

constexpr CodeInfo codes[] = {
#define CODE(name, retry, meaning) {Code::name, #name, RetryKind::retry, meaning},
#include "base/codes.inc"
#undef CODE
};

}  // namespace

Error Error::make(Code code, std::string message, std::string hint) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.hint = std::move(hint);
  error.retry.kind = codes[static_cast<std::size_t>(code)].retry;
  return error;
}

Error&& Error::with_retry_after(std::int64_t ms) && {
  retry = {RetryKind::retry_after, ms};
  return std::move(*this);
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

void panic(const char* file, int line, const char* what, const Error* error) {
  std::fprintf(stderr, "baton: internal error at %s:%d: %s\n", file, line, what);
  if (error != nullptr) {
    std::fprintf(stderr, "  %.*s: %s\n", static_cast<int>(name_of(error->code).size()),
                 name_of(error->code).data(), printable(error->message).c_str());
  }
  std::abort();
}

}  // namespace baton
