#include "run/log/signals.h"

namespace baton::run {

GapCategory category_of(Reason reason) {
  if (reason == Reason::evidence_missing) return GapCategory::contract_violation;
  if (reason == Reason::gate_waiting || reason == Reason::gate_refused) {
    return GapCategory::user_only_dependency;
  }
  if (reason <= Reason::needs_user_environment_action) return GapCategory::user_only_dependency;
  if (reason <= Reason::invalid_required_output) return GapCategory::contract_violation;
  if (reason <= Reason::required_capability_unknown) return GapCategory::capability_missing;
  return GapCategory::unexpected;
}

BlockerCode code_of(Reason reason) {
  switch (reason) {
    case Reason::needs_user_secret_or_token:
    case Reason::needs_user_account_access:
    case Reason::needs_user_artifact:
    case Reason::needs_user_choice:
    case Reason::needs_user_approval:
    case Reason::needs_user_environment_action: return BlockerCode::USER_ONLY_DEPENDENCY;
    case Reason::missing_required_output: return BlockerCode::MISSING_REQUIRED_OUTPUT;
    case Reason::invalid_required_output: return BlockerCode::INVALID_REQUIRED_OUTPUT;
    case Reason::required_capability_unavailable:
      return BlockerCode::REQUIRED_CAPABILITY_UNAVAILABLE;
    case Reason::required_capability_unknown: return BlockerCode::REQUIRED_CAPABILITY_UNKNOWN;
    case Reason::storage_corruption_detected: return BlockerCode::STORAGE_CORRUPTION_DETECTED;
    case Reason::evidence_missing: return BlockerCode::EVIDENCE_MISSING;
    case Reason::gate_waiting: return BlockerCode::GATE_WAITING;
    case Reason::gate_refused: return BlockerCode::GATE_REFUSED;
    case Reason::invariant_violation:
    case Reason::loop_bound_reached:
    case Reason::evaluation_error: break;
  }
  return BlockerCode::INVARIANT_VIOLATION;
}

}  // namespace baton::run
