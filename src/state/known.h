#pragma once
// Known<T>: a value, an error, or "not known yet": scripts have to run first, or a workspace has to
// be probed (state/answers.h, run/walk/probes.h). TRY passes both of the latter on, so that no
// caller uses a value that is missing. A function that asks for several things asks for all of them
// before it returns "not known yet": they are fetched together.

#include <optional>
#include <utility>

#include "base/core/result.h"

namespace baton::state {

/// Why there is no value.
class NoValue {
 public:
  NoValue(Error error) : error_(std::move(error)) {}
  static NoValue not_yet() { return NoValue(); }

  /// What failed; nullptr when it is only not known yet.
  const Error* if_error() const { return error_ ? &*error_ : nullptr; }
  Error* if_error() { return error_ ? &*error_ : nullptr; }

 private:
  NoValue() = default;

  std::optional<Error> error_;
};

template <class T>
using Known = std::expected<T, NoValue>;

inline std::unexpected<NoValue> not_yet() { return std::unexpected(NoValue::not_yet()); }

template <class T>
bool is_not_yet(const Known<T>& known) {
  return !known && known.error().if_error() == nullptr;
}

/// REQUIRES: it is not lacking, because everything that it could need was supplied or recorded.
template <class T>
Result<T> settled(Known<T> known) {
  if (known) {
    if constexpr (std::is_void_v<T>)
      return {};
    else
      return *std::move(known);
  }
  ASSERT(known.error().if_error() != nullptr);
  return std::unexpected(std::move(*known.error().if_error()));
}

}  // namespace baton::state
