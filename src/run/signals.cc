#include "run/signals.h"

#include <algorithm>
#include <span>
#include <utility>

namespace baton::run {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view reasons[] = {"needs_user_secret_or_token",
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
                                        "evidence_missing"};
constexpr std::string_view categories[] = {"user_only_dependency", "contract_violation",
                                           "capability_missing", "unexpected"};
constexpr std::string_view severities[] = {"info", "warning", "critical"};
constexpr std::string_view codes[] = {"USER_ONLY_DEPENDENCY",
                                      "MISSING_REQUIRED_OUTPUT",
                                      "INVALID_REQUIRED_OUTPUT",
                                      "REQUIRED_CAPABILITY_UNKNOWN",
                                      "REQUIRED_CAPABILITY_UNAVAILABLE",
                                      "INVARIANT_VIOLATION",
                                      "STORAGE_CORRUPTION_DETECTED",
                                      "EVIDENCE_MISSING"};
constexpr std::string_view pointers[] = {"context_key", "context_budget", "output_contract",
                                         "capability",  "workflow_step",  "evidence"};
constexpr std::string_view capability_names[] = {"delegation", "web_browsing"};
constexpr std::string_view statuses[] = {"unknown", "available", "unavailable"};
constexpr std::string_view provenances[] = {"probe_step", "attempted_use", "manual_claim"};
constexpr std::string_view divergences[] = {"missing_user_context", "capability_unavailable",
                                            "efficiency_skip", "safety_stop", "policy_constraint"};
constexpr std::string_view choices[] = {"preference_tradeoff", "scope_boundary",
                                        "irreversible_action", "external_side_effect",
                                        "policy_or_compliance"};

template <class Set>
constexpr Names table();
template <>
constexpr Names table<Reason>() {
  return reasons;
}
template <>
constexpr Names table<GapCategory>() {
  return categories;
}
template <>
constexpr Names table<GapSeverity>() {
  return severities;
}
template <>
constexpr Names table<BlockerCode>() {
  return codes;
}
template <>
constexpr Names table<PointerKind>() {
  return pointers;
}
template <>
constexpr Names table<Capability>() {
  return capability_names;
}
template <>
constexpr Names table<CapabilityStatus>() {
  return statuses;
}
template <>
constexpr Names table<Provenance>() {
  return provenances;
}
template <>
constexpr Names table<DivergenceReason>() {
  return divergences;
}
template <>
constexpr Names table<UserChoice>() {
  return choices;
}

template <class Set>
std::string_view lookup(Set member) {
  // The tables list the members in the order of their enum.
  return table<Set>()[static_cast<std::size_t>(std::to_underlying(member))];
}

template <class Set>
std::optional<Set> find(std::string_view name) {
  const Names names = table<Set>();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Set>(found - names.begin());
}

template <class Set>
std::vector<std::string_view> all() {
  return {table<Set>().begin(), table<Set>().end()};
}

}  // namespace

GapCategory category_of(Reason reason) {
  if (reason == Reason::evidence_missing) return GapCategory::contract_violation;
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
    case Reason::invariant_violation:
    case Reason::evaluation_error: break;
  }
  return BlockerCode::INVARIANT_VIOLATION;
}

std::string_view name_of(Reason reason) { return lookup(reason); }
std::string_view name_of(GapCategory category) { return lookup(category); }
std::string_view name_of(GapSeverity severity) { return lookup(severity); }
std::string_view name_of(BlockerCode code) { return lookup(code); }
std::string_view name_of(PointerKind kind) { return lookup(kind); }
std::string_view name_of(Capability capability) { return lookup(capability); }
std::string_view name_of(CapabilityStatus status) { return lookup(status); }
std::string_view name_of(Provenance provenance) { return lookup(provenance); }
std::string_view name_of(DivergenceReason reason) { return lookup(reason); }
std::string_view name_of(UserChoice choice) { return lookup(choice); }

template <>
std::optional<Reason> from_name(std::string_view name) {
  return find<Reason>(name);
}
template <>
std::optional<GapCategory> from_name(std::string_view name) {
  return find<GapCategory>(name);
}
template <>
std::optional<GapSeverity> from_name(std::string_view name) {
  return find<GapSeverity>(name);
}
template <>
std::optional<BlockerCode> from_name(std::string_view name) {
  return find<BlockerCode>(name);
}
template <>
std::optional<PointerKind> from_name(std::string_view name) {
  return find<PointerKind>(name);
}
template <>
std::optional<Capability> from_name(std::string_view name) {
  return find<Capability>(name);
}
template <>
std::optional<CapabilityStatus> from_name(std::string_view name) {
  return find<CapabilityStatus>(name);
}
template <>
std::optional<Provenance> from_name(std::string_view name) {
  return find<Provenance>(name);
}
template <>
std::optional<DivergenceReason> from_name(std::string_view name) {
  return find<DivergenceReason>(name);
}
template <>
std::optional<UserChoice> from_name(std::string_view name) {
  return find<UserChoice>(name);
}
template <>
std::vector<std::string_view> names<Reason>() {
  return all<Reason>();
}
template <>
std::vector<std::string_view> names<GapCategory>() {
  return all<GapCategory>();
}
template <>
std::vector<std::string_view> names<GapSeverity>() {
  return all<GapSeverity>();
}
template <>
std::vector<std::string_view> names<BlockerCode>() {
  return all<BlockerCode>();
}
template <>
std::vector<std::string_view> names<PointerKind>() {
  return all<PointerKind>();
}
template <>
std::vector<std::string_view> names<Capability>() {
  return all<Capability>();
}
template <>
std::vector<std::string_view> names<CapabilityStatus>() {
  return all<CapabilityStatus>();
}
template <>
std::vector<std::string_view> names<Provenance>() {
  return all<Provenance>();
}
template <>
std::vector<std::string_view> names<DivergenceReason>() {
  return all<DivergenceReason>();
}
template <>
std::vector<std::string_view> names<UserChoice>() {
  return all<UserChoice>();
}

}  // namespace baton::run
