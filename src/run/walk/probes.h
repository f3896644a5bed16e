#pragma once
// Looks: how pure code sees a workspace, and what other branches of a run did outside. What was not
// looked at is noted, and the asker ends with not_yet() (state/known.h): once it is supplied, it is
// asked again from where it began. state/answers.h is the same for scripts.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/effects/receipts.h"
#include "run/log/evidence_record.h"
#include "state/known.h"

namespace baton::run {

class Probes {
 public:
  /// What was seen, one for each look. Asks for one thing at a time: forget() comes before the
  /// next.
  state::Known<std::vector<ProbeResult>> find(const std::string& workspace,
                                              std::vector<Probe> looks) {
    if (!seen_ && looks.empty()) seen_.emplace();
    if (!seen_ && workspace.empty()) {
      ProbeResult nowhere;
      nowhere.kind = ProbeResult::Kind::no_workspace;
      seen_.emplace(looks.size(), nowhere);
    }
    if (seen_) return *seen_;
    workspace_ = workspace;
    asked_ = std::move(looks);
    return state::not_yet();
  }

  /// Whether anything was asked for that is not known.
  bool is_lacking() const { return !asked_.empty(); }

  const std::string& workspace() const { return workspace_; }
  std::span<const Probe> asked() const { return asked_; }

  /// REQUIRES: one for each of asked().
  void supply(std::vector<ProbeResult> seen) {
    ASSERT(seen.size() == asked_.size());
    asked_.clear();
    seen_ = std::move(seen);
  }

  void forget() { seen_.reset(); }

  /// The effects of a step that other branches of the run had and that may hold, the newest first.
  /// One decision asks for one step.
  state::Known<std::vector<EffectReceipt>> effects_elsewhere(const std::string& step) {
    if (elsewhere_) return *elsewhere_;
    asked_step_ = step;
    return state::not_yet();
  }
  const std::optional<std::string>& asked_step() const { return asked_step_; }
  void supply(std::vector<EffectReceipt> elsewhere) {
    asked_step_.reset();
    elsewhere_ = std::move(elsewhere);
  }

 private:
  std::string workspace_;
  std::vector<Probe> asked_;
  std::optional<std::vector<ProbeResult>> seen_;
  std::optional<std::string> asked_step_;
  std::optional<std::vector<EffectReceipt>> elsewhere_;
};

}  // namespace baton::run
