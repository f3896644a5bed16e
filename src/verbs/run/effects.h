#pragma once
// What a run changed outside, by branch. Reads only.

#include <map>
#include <vector>

#include "engine/engine.h"
#include "run/steps/shell_command.h"

namespace baton::verbs {

struct EffectBranch {
  NodeId tip;                                // its newest node
  bool is_current = false;                   // the run continues here
  std::vector<run::EffectReceipt> receipts;  // in the order of the log
  /// What is known of commands without a recorded result, by the node of their intent.
  std::map<NodeId, run::CommandStatus> commands = {};
};

/// The branch of the newest node first. A receipt is listed once, with the newest branch that has
/// it; steps that only read are left out.
Result<std::vector<EffectBranch>> effects_of(const engine::ReadContext& reading,
                                             const run::RunRow& run);

}  // namespace baton::verbs
