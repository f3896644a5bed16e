#include "engine/effects/read_effects.h"

#include "engine/load/load.h"
#include "run/log/owner_events.h"

namespace baton::engine {

Result<HeldEffects> read_effects(const LoadContext& loading, const SessionId& session) {
  auto kept = loading.caches.effects.find(session);
  if (kept == nullptr) {
    kept = loading.caches.effects.put(session, std::make_shared<Guarded<SessionEffects>>());
  }
  HeldEffects held = Guarded<SessionEffects>::hold(*kept);
  while (true) {
    const auto page = TRY(loading.store.log(session, held->seen, limits::log_page_commits));
    if (page.empty()) return held;
    for (const run::Commit& commit : page) {
      const auto events = TRY(of_session(loading, session, run::decode_events(commit.body)));
      TRY(of_session(loading, session, held->ledger.add(events, commit.at)));
      held->seen = commit.seq;
    }
  }
}

Result<std::vector<run::EffectReceipt>> effects_elsewhere(const LoadContext& loading,
                                                          const run::NodeRow& node,
                                                          std::string_view step) {
  const auto run = TRY(loading.store.run(node.run));
  // All nodes of a run without a fork are on the way to this one.
  if (run && run->nodes == node.depth + 1) return std::vector<run::EffectReceipt>();
  const HeldEffects held = TRY(read_effects(loading, node.session));
  return held->ledger.elsewhere(step, node.id);
}

Result<std::set<NodeId>> undone_effects(const LoadContext& loading, const SessionId& session) {
  std::set<NodeId> out;
  const auto newest = TRY(loading.store.newest_by_prefix(session, run::UndoIntended::key_prefix));
  if (!newest) return out;
  const HeldEffects held = TRY(read_effects(loading, session));
  for (const run::EffectReceipt& each : held->ledger.receipts()) {
    if (each.undone == run::UndoOutcome::done) out.insert(each.node);
  }
  return out;
}

}  // namespace baton::engine
