#pragma once
// Looks: how pure code reads a workspace. It asks as if the answer were known; until it is,
// its result does not count, and it is called again from the start. state/answers.h is the
// same for scripts.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/evidence_record.h"

namespace baton::run {

class Looks {
 public:
  /// What was seen, one for each look; nullptr until it is known. Asks for one thing at a time:
  /// forget() comes before the next.
  const std::vector<Seen>* find(const std::string& workspace, std::vector<Look> looks) {
    if (!seen_ && looks.empty()) seen_.emplace();
    if (!seen_ && workspace.empty()) {
      Seen nowhere;
      nowhere.kind = Seen::Kind::no_workspace;
      seen_.emplace(looks.size(), nowhere);
    }
    if (seen_) return &*seen_;
    workspace_ = workspace;
    asked_ = std::move(looks);
    return nullptr;
  }

  /// Whether anything was asked for that is not known: then what was decided does not count.
  bool is_lacking() const { return !asked_.empty(); }

  const std::string& workspace() const { return workspace_; }
  std::span<const Look> asked() const { return asked_; }

  /// REQUIRES: one for each of asked().
  void supply(std::vector<Seen> seen) {
    ASSERT(seen.size() == asked_.size());
    asked_.clear();
    seen_ = std::move(seen);
  }

  void forget() { seen_.reset(); }

 private:
  std::string workspace_;
  std::vector<Look> asked_;
  std::optional<std::vector<Seen>> seen_;
};

}  // namespace baton::run
