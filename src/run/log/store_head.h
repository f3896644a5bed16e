#pragma once
// The head of a whole store: one line that names its newest commit and a digest of every commit up
// to it, in the order of their numbers. Noted elsewhere, it shows later whether the store still has
// all that it had then. A value.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/sha256.h"
#include "run/log/rows.h"

namespace baton::run {

struct StoreHead {
  CommitNo commit;
  std::int64_t removed_sessions = 0;  // by gc: their commits are not in the digest
  Sha256 digest;
  bool operator==(const StoreHead&) const = default;

  /// The head of a store without commits.
  static StoreHead empty();

  /// Continues the digest with the next commit.
  void take(const Commit& next);

  /// head1:COMMIT:REMOVED:DIGEST
  std::string text() const;
  static std::optional<StoreHead> parse(std::string_view text);
};

}  // namespace baton::run
