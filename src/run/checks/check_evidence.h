#pragma once
// Proving: what a step has to prove from the moment it becomes open, and whether an attempt has
// proved it. Pure.

#include <optional>
#include <vector>

#include "run/checks/evidence.h"
#include "run/decide/submission.h"
#include "run/graph/state.h"
#include "run/walk/probes.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

/// What the open step of `state` has to prove, with the values of this moment and how the workspace
/// is now. Nothing when it has to prove nothing. An error when a value that it names is not there.
Known<std::optional<EvidenceRecorded>> begin_evidence(const workflow::CompiledWorkflow& workflow,
                                                      const NodeState& state, Scripts& scripts,
                                                      Probes& looks);

struct Proof {
  std::vector<Finding> findings;  // empty when all is proved
  EvidenceRecorded fact;
};

/// Whether `input` may close the open step of `state`, whose values are as the step leaves them.
/// REQUIRES: `state.evidence` is of that step.
Known<Proof> check_step_evidence(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                                 const StepInput& input, Scripts& scripts, Probes& looks);

/// What the open step has to prove, as sentences for its prompt, and artifacts for its example.
struct ProofWords {
  std::vector<std::string> sentences;
  json::Array artifacts;
};
ProofWords evidence_words(const NodeState& state);

/// Whether any step has something to prove that is looked for in a workspace.
bool needs_workspace(const workflow::CompiledWorkflow& workflow);

}  // namespace baton::run
