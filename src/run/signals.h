#pragma once
// The closed sets of what an attempt can report and of why it may not pass: reasons, blockers,
// gaps, capabilities, divergence. Values; any thread.

#include "run/types.h"

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
  evidence_missing
};

enum class GapCategory : std::uint8_t {
  user_only_dependency,
  contract_violation,
  capability_missing,
  unexpected
};
GapCategory category_of(Reason reason);

enum class GapSeverity : std::uint8_t { info, warning, critical };

enum class BlockerCode : std::uint8_t {
  USER_ONLY_DEPENDENCY,
  MISSING_REQUIRED_OUTPUT,
  INVALID_REQUIRED_OUTPUT,
  REQUIRED_CAPABILITY_UNKNOWN,
  REQUIRED_CAPABILITY_UNAVAILABLE,
  INVARIANT_VIOLATION,
  STORAGE_CORRUPTION_DETECTED,
  EVIDENCE_MISSING
};
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
struct Pointer {
  PointerKind kind = PointerKind::workflow_step;
  std::string value;
  bool operator==(const Pointer&) const = default;
};

enum class Capability : std::uint8_t { delegation, web_browsing };
enum class CapabilityStatus : std::uint8_t { unknown, available, unavailable };

/// How a capability's status was found out. A claim that nothing was tried for is weak.
enum class Provenance : std::uint8_t { probe_step, attempted_use, manual_claim };
inline bool is_strong(Provenance provenance) { return provenance != Provenance::manual_claim; }

enum class DivergenceReason : std::uint8_t {
  missing_user_context,
  capability_unavailable,
  efficiency_skip,
  safety_stop,
  policy_constraint
};

/// What makes a choice one that an agent must not assume.
enum class UserChoice : std::uint8_t {
  preference_tradeoff,
  scope_boundary,
  irreversible_action,
  external_side_effect,
  policy_or_compliance
};

std::string_view name_of(Reason reason);
std::string_view name_of(GapCategory category);
std::string_view name_of(GapSeverity severity);
std::string_view name_of(BlockerCode code);
std::string_view name_of(PointerKind kind);
std::string_view name_of(Capability capability);
std::string_view name_of(CapabilityStatus status);
std::string_view name_of(Provenance provenance);
std::string_view name_of(DivergenceReason reason);
std::string_view name_of(UserChoice choice);

// from_name and names of these sets.
template <>
std::optional<Reason> from_name(std::string_view name);
template <>
std::optional<GapCategory> from_name(std::string_view name);
template <>
std::optional<GapSeverity> from_name(std::string_view name);
template <>
std::optional<BlockerCode> from_name(std::string_view name);
template <>
std::optional<PointerKind> from_name(std::string_view name);
template <>
std::optional<Capability> from_name(std::string_view name);
template <>
std::optional<CapabilityStatus> from_name(std::string_view name);
template <>
std::optional<Provenance> from_name(std::string_view name);
template <>
std::optional<DivergenceReason> from_name(std::string_view name);
template <>
std::optional<UserChoice> from_name(std::string_view name);
template <>
std::vector<std::string_view> names<Reason>();
template <>
std::vector<std::string_view> names<GapCategory>();
template <>
std::vector<std::string_view> names<GapSeverity>();
template <>
std::vector<std::string_view> names<BlockerCode>();
template <>
std::vector<std::string_view> names<PointerKind>();
template <>
std::vector<std::string_view> names<Capability>();
template <>
std::vector<std::string_view> names<CapabilityStatus>();
template <>
std::vector<std::string_view> names<Provenance>();
template <>
std::vector<std::string_view> names<DivergenceReason>();
template <>
std::vector<std::string_view> names<UserChoice>();

}  // namespace baton::run
