#include "run/decide/verdict.h"

#include <algorithm>
#include <tuple>

#include "base/core/limits.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

/// Whether the risk policy lets the run continue without what is missing.
bool is_softened(Reason reason, RiskPolicy policy) {
  if (reason == Reason::required_capability_unknown) return policy != RiskPolicy::conservative;
  if (reason == Reason::required_capability_unavailable) return policy == RiskPolicy::aggressive;
  return false;
}

auto order_of(const Blocker& blocker) {
  return std::tuple(name_of(blocker.code), name_of(blocker.pointer.kind),
                    std::string_view(blocker.pointer.value), std::string_view(blocker.message),
                    std::string_view(blocker.suggested_fix));
}

}  // namespace

Gap gap_of(const Finding& finding, GapSeverity severity) {
  return {.id = {},
          .severity = severity,
          .reason = finding.reason,
          .summary = utf8::truncate(finding.message, limits::blocker_message_bytes_max),
          .step = {}};
}

bool Verdict::is_retryable() const {
  return std::ranges::none_of(blockers, [](const Blocker& each) {
    return each.code == BlockerCode::USER_ONLY_DEPENDENCY ||
           each.code == BlockerCode::REQUIRED_CAPABILITY_UNAVAILABLE ||
           each.code == BlockerCode::STORAGE_CORRUPTION_DETECTED;
  });
}

Verdict apply_policy(const std::vector<Finding>& findings, const Preferences& preferences,
                     WeighMode weighing) {
  Verdict verdict;
  const auto may_pass_with_gap = [&](const Finding& finding) {
    if (preferences.autonomy != Autonomy::full_auto_never_stop) return false;
    return finding.reason != Reason::evidence_missing || weighing == WeighMode::simulated;
  };
  for (const Finding& finding : findings) {
    if (is_softened(finding.reason, preferences.risk_policy)) {
      verdict.gaps.push_back(gap_of(finding, GapSeverity::warning));
    } else if (may_pass_with_gap(finding)) {
      verdict.gaps.push_back(gap_of(finding, GapSeverity::critical));
    } else {
      verdict.blockers.push_back(
          {code_of(finding.reason), finding.pointer,
           utf8::truncate(finding.message, limits::blocker_message_bytes_max),
           utf8::truncate(finding.fix, limits::blocker_fix_bytes_max)});
    }
  }
  if (!verdict.is_blocked()) return verdict;
  verdict.gaps.clear();
  std::ranges::sort(verdict.blockers, {}, order_of);
  if (verdict.blockers.size() > limits::blockers_max) {
    verdict.blockers.resize(limits::blockers_max);
  }
  return verdict;
}

}  // namespace baton::run
