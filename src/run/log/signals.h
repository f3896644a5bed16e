#pragma once
// The closed sets of what an attempt can report and of why it may not pass: reasons, blockers,
// gaps, capabilities, divergence. Values; any thread.

#include "run/log/types.h"

namespace baton::run {

/// Why an attempt does not pass. One set feeds blockers and gaps alike.
enum class Reason : std::uint8_t {
  needs_user_secret_or_token,
  needs_user_account_access,
  needs_user_artifact,
  needs_user_choice,
  needs_user_approval,
  needs_user_environment_action,
  missing_required_output,
  invalid_required_output,
  required_capability_unavailable,
  required_capability_unknown,
  invariant_violation,
  storage_corruption_detected,
  evaluation_error,
  evidence_missing,
  gate_waiting,  // a person decides
  gate_refused,  // a person refused it
  loop_bound_reached
};
template <>
inline constexpr Names<17> names_of<Reason> = {"needs_user_secret_or_token",
                                               "needs_user_account_access",
                                               "needs_user_artifact",
                                               "needs_user_choice",
                                               "needs_user_approval",
                                               "needs_user_environment_action",
                                               "missing_required_output",
                                               "invalid_required_output",
                                               "required_capability_unavailable",
                                               "required_capability_unknown",
                                               "invariant_violation",
                                               "storage_corruption_detected",
                                               "evaluation_error",
                                               "evidence_missing",
                                               "gate_waiting",
                                               "gate_refused",
                                               "loop_bound_reached"};

enum class GapCategory : std::uint8_t {
  user_only_dependency,
  contract_violation,
  capability_missing,
  unexpected
};
template <>
inline constexpr Names<4> names_of<GapCategory> = {"user_only_dependency", "contract_violation",
                                                   "capability_missing", "unexpected"};
GapCategory category_of(Reason reason);

enum class GapSeverity : std::uint8_t { info, warning, critical };
template <>
inline constexpr Names<3> names_of<GapSeverity> = {"info", "warning", "critical"};

enum class BlockerCode : std::uint8_t {
  USER_ONLY_DEPENDENCY,
  MISSING_REQUIRED_OUTPUT,
  INVALID_REQUIRED_OUTPUT,
  REQUIRED_CAPABILITY_UNKNOWN,
  REQUIRED_CAPABILITY_UNAVAILABLE,
  INVARIANT_VIOLATION,
  STORAGE_CORRUPTION_DETECTED,
  EVIDENCE_MISSING,
  GATE_WAITING,
  GATE_REFUSED
};
template <>
inline constexpr Names<10> names_of<BlockerCode> = {"USER_ONLY_DEPENDENCY",
                                                    "MISSING_REQUIRED_OUTPUT",
                                                    "INVALID_REQUIRED_OUTPUT",
                                                    "REQUIRED_CAPABILITY_UNKNOWN",
                                                    "REQUIRED_CAPABILITY_UNAVAILABLE",
                                                    "INVARIANT_VIOLATION",
                                                    "STORAGE_CORRUPTION_DETECTED",
                                                    "EVIDENCE_MISSING",
                                                    "GATE_WAITING",
                                                    "GATE_REFUSED"};
BlockerCode code_of(Reason reason);

/// What a blocker or gap is about. The value is a context key, a contract, a capability, a step's
/// key or a piece of evidence; empty for the context's budget.
enum class PointerKind : std::uint8_t {
  context_key,
  context_budget,
  output_contract,
  capability,
  workflow_step,
  evidence
};
template <>
inline constexpr Names<6> names_of<PointerKind> = {
    "context_key", "context_budget", "output_contract", "capability", "workflow_step", "evidence"};
struct Pointer {
  PointerKind kind = PointerKind::workflow_step;
  std::string value;
  bool operator==(const Pointer&) const = default;
};

enum class Capability : std::uint8_t { delegation, web_browsing };
template <>
inline constexpr Names<2> names_of<Capability> = {"delegation", "web_browsing"};
enum class CapabilityStatus : std::uint8_t { unknown, available, unavailable };
template <>
inline constexpr Names<3> names_of<CapabilityStatus> = {"unknown", "available", "unavailable"};

/// How a capability's status was found out. A claim that nothing was tried for is weak.
enum class Provenance : std::uint8_t { probe_step, attempted_use, manual_claim };
template <>
inline constexpr Names<3> names_of<Provenance> = {"probe_step", "attempted_use", "manual_claim"};
inline bool is_strong(Provenance provenance) { return provenance != Provenance::manual_claim; }

enum class DivergenceReason : std::uint8_t {
  missing_user_context,
  capability_unavailable,
  efficiency_skip,
  safety_stop,
  policy_constraint
};
template <>
inline constexpr Names<5> names_of<DivergenceReason> = {"missing_user_context",
                                                        "capability_unavailable", "efficiency_skip",
                                                        "safety_stop", "policy_constraint"};

/// What makes a choice one that an agent must not assume.
enum class UserChoice : std::uint8_t {
  preference_tradeoff,
  scope_boundary,
  irreversible_action,
  external_side_effect,
  policy_or_compliance
};
template <>
inline constexpr Names<5> names_of<UserChoice> = {"preference_tradeoff", "scope_boundary",
                                                  "irreversible_action", "external_side_effect",
                                                  "policy_or_compliance"};

}  // namespace baton::run
