#pragma once
// Capabilities: what the agent's environment can do, which Baton learns from observations alone. A
// workflow requires one, prefers it or does without. Pure.

#include <optional>
#include <string>
#include <vector>

#include "run/decide/verdict.h"
#include "run/graph/state.h"
#include "workflow/compiled.h"

namespace baton::run {

enum class CapabilityNeed : std::uint8_t { required, preferred, disabled };
std::string_view name_of(CapabilityNeed need);

/// What the workflow says of a capability, or nothing.
std::optional<CapabilityNeed> need_of(const workflow::CompiledWorkflow& workflow,
                                      Capability capability);

struct CapabilityCheck {
  std::vector<Finding> findings;  // of required ones
  std::vector<Gap> gaps;          // of preferred ones, which are done without; no id and step
};

/// Judges the capabilities that `observed` says something about. `known` is what holds after these
/// observations: a weak one does not take a strong one's place, and does not unlock a required
/// capability.
CapabilityCheck check_capabilities(const workflow::CompiledWorkflow& workflow,
                                   const std::vector<CapabilityObserved>& observed,
                                   const KnownFacts& known);

/// What the agent must know of the workflow's capabilities, as lines for a prompt.
std::vector<std::string> describe_capabilities(const workflow::CompiledWorkflow& workflow,
                                               const KnownFacts& known);

}  // namespace baton::run
