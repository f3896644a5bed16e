#include "verbs/run/effects.h"

#include <algorithm>

#include "engine/commands/command_status.h"
#include "engine/effects/read_effects.h"
#include "engine/load/load.h"
#include "run/effects/place_effect.h"

namespace baton::verbs {
namespace {

/// Notes whether the command of a receipt without a result still runs.
Result<void> add_status(const engine::ReadContext& reading, const run::EffectReceipt& receipt,
                        EffectBranch& branch) {
  if (receipt.by != run::EffectBy::server || receipt.outcome != run::EffectOutcome::open) return {};
  const auto state = TRY(load_state(reading, TRY(load_node(reading, receipt.node))));
  const auto status = TRY(command_status(reading, *state));
  if (status) branch.commands.emplace(receipt.node, *status);
  return {};
}

}  // namespace

Result<std::vector<EffectBranch>> effects_of(const engine::ReadContext& reading,
                                             const run::RunRow& run) {
  const auto pinned = TRY(engine::load_workflow(reading, run.workflow_hash));
  const run::ReadingSteps reads(pinned->workflow);
  std::vector<EffectBranch> out;
  const engine::HeldEffects held = TRY(engine::read_effects(reading, run.session));
  for (const run::EffectLedger::Branch& each : held->ledger.branches()) {
    EffectBranch branch{each.tip, out.empty(), {}};
    for (const run::EffectReceipt* receipt : each.receipts) {
      const bool only_reads = receipt->by == run::EffectBy::server && reads.contains(receipt->step);
      if (only_reads) continue;
      branch.receipts.push_back(*receipt);
      TRY(add_status(reading, *receipt, branch));
    }
    if (branch.is_current || !branch.receipts.empty()) out.push_back(std::move(branch));
  }
  return out;
}

}  // namespace baton::verbs
