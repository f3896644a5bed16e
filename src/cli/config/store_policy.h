#pragma once
// Keeps the policy of an engine as its store says: where the store has an approval key, what its
// owner signed last counts, and the files, which were read at the start, only tighten. Owned by one
// backend; its owner calls it by one thread at a time.

#include <optional>
#include <vector>

#include "cli/config/policy_words.h"
#include "engine/engine.h"

namespace baton::cli {

class StorePolicy {
 public:
  /// `said`: by the files, the command line and the environment.
  explicit StorePolicy(std::vector<PolicyWord> said) : said_(std::move(said)) {}

  /// Sets the engine's policy when a key or a policy was recorded since the last time. What cannot
  /// be read leaves it as it is; the first time it counts as signed by no key, and `baton verify`
  /// says why.
  void take(engine::Engine& engine);

 private:
  const std::vector<PolicyWord> said_;
  bool has_taken_ = false;
  std::optional<run::Seq> seen_;  // of the session of approvals
};

}  // namespace baton::cli
