#include "run/checks/capabilities.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"

namespace baton::run {
namespace {

constexpr std::array<std::string_view, 3> need_names = {"required", "preferred", "disabled"};
constexpr std::array all_capabilities = {Capability::delegation, Capability::web_browsing};

KnownCapability status_of(const KnownFacts& known, Capability capability) {
  const auto found = known.capabilities.find(capability);
  return found == known.capabilities.end() ? KnownCapability{} : found->second;
}

std::string observation(Capability capability, std::string_view status) {
  return cat(R"({"kind":"baton.capability_observation","capability":")", name_of(capability),
             R"(","status":")", status, R"(","provenance":"attempted_use")",
             status == "unavailable" ? R"(,"failureCode":"<how it failed>"})" : "}");
}

void check_required(Capability capability, const KnownCapability& found, CapabilityCheck& out) {
  const bool is_proven = is_strong(found.provenance);
  if (found.status == CapabilityStatus::available && is_proven) return;
  const std::string_view name = name_of(capability);
  const Pointer pointer{PointerKind::capability, std::string(name)};
  if (found.status == CapabilityStatus::unavailable) {
    out.findings.push_back(
        {Reason::required_capability_unavailable, pointer,
         cat("the workflow requires ", name, ", but it is unavailable"),
         cat("Make it available and send a new observation: ", observation(capability, "available"),
             ". Or let the user choose the risk policy aggressive, to continue without it.")});
    return;
  }
  const std::string_view why = found.status == CapabilityStatus::unknown
                                   ? "whether it is available is unknown"
                                   : "a claim is not evidence that it is available";
  out.findings.push_back(
      {Reason::required_capability_unknown, pointer,
       cat("the workflow requires ", name, ", and ", why),
       cat("Use it once, in the smallest way, and send the observation: ",
           observation(capability, "available"), " or ", observation(capability, "unavailable"))});
}

void check_preferred(Capability capability, const KnownCapability& found, CapabilityCheck& out) {
  if (found.status != CapabilityStatus::unavailable) return;
  out.gaps.push_back({.id = {},
                      .severity = GapSeverity::info,
                      .reason = Reason::required_capability_unavailable,
                      .summary = cat("the workflow prefers ", name_of(capability),
                                     ", which is unavailable; the run continues without it"),
                      .step = {}});
}

std::string describe(Capability capability, CapabilityNeed need, const KnownCapability& found) {
  const std::string_view name = name_of(capability);
  if (need == CapabilityNeed::disabled) return cat("Do not use ", name, " in this workflow.");
  if (found.status == CapabilityStatus::unavailable) {
    return cat(name,
               " is unavailable here: do the work without it, and say in the notes what that "
               "cost.");
  }
  if (found.status == CapabilityStatus::available) {
    return cat(name, " is available", is_strong(found.provenance) ? "." : " (claimed, not tried).");
  }
  return cat(name, need == CapabilityNeed::required ? " is required" : " is preferred",
             " and not tried yet: when you try it, send ", observation(capability, "available"),
             " or ", observation(capability, "unavailable"), '.');
}

}  // namespace

std::string_view name_of(CapabilityNeed need) { return need_names[std::to_underlying(need)]; }

std::optional<CapabilityNeed> need_of(const workflow::CompiledWorkflow& workflow,
                                      Capability capability) {
  const json::Value* all = workflow.declared.find("capabilities");
  const json::Value* one = all == nullptr ? nullptr : all->find(name_of(capability));
  if (one == nullptr) return std::nullopt;
  const auto found = std::ranges::find(need_names, *one->if_string());
  if (found == need_names.end()) return std::nullopt;
  return static_cast<CapabilityNeed>(found - need_names.begin());
}

CapabilityCheck check_capabilities(const workflow::CompiledWorkflow& workflow,
                                   const std::vector<CapabilityObserved>& observed,
                                   const KnownFacts& known) {
  CapabilityCheck out;
  for (const Capability capability : all_capabilities) {
    const auto need = need_of(workflow, capability);
    const bool was_observed =
        std::ranges::find(observed, capability, &CapabilityObserved::capability) != observed.end();
    if (!need || !was_observed) continue;
    const KnownCapability found = status_of(known, capability);
    if (*need == CapabilityNeed::required) check_required(capability, found, out);
    if (*need == CapabilityNeed::preferred) check_preferred(capability, found, out);
  }
  return out;
}

std::vector<std::string> describe_capabilities(const workflow::CompiledWorkflow& workflow,
                                               const KnownFacts& known) {
  std::vector<std::string> out;
  for (const Capability capability : all_capabilities) {
    const auto need = need_of(workflow, capability);
    if (need) out.push_back(describe(capability, *need, status_of(known, capability)));
  }
  return out;
}

}  // namespace baton::run
