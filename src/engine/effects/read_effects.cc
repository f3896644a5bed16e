#include "engine/effects/read_effects.h"

#include <ranges>

#include "base/core/limits.h"
#include "engine/load/load.h"
#include "run/log/owner_events.h"

namespace baton::engine {
namespace {

/// The sessions that carried out the same task for another branch of the run it belongs to; of
/// tasks in tasks also those below another branch further up.
Result<std::vector<SessionId>> sessions_of_same_task(const LoadContext& loading,
                                                     const run::TaskRef& task) {
  const run::NodeRow entry = TRY(load_node(loading, task.node));
  std::vector<SessionId> parents{entry.session};
  const auto above = TRY(load_state(loading, entry));
  if (above->task) {
    for (SessionId& each : TRY(sessions_of_same_task(loading, *above->task)))
      parents.push_back(each);
  }
  std::vector<SessionId> out;
  std::size_t looked = 0;
  for (const SessionId& parent : parents) {
    std::vector<NodeId> nodes;
    {
      const HeldEffects held = TRY(read_effects(loading, parent));
      for (const NodeId& each : held->spread | std::views::reverse) {
        if (!held->ledger.is_on_way(each, task.node)) nodes.push_back(each);
      }
    }
    for (const NodeId& node : nodes) {
      if (++looked > limits::fork_walk_nodes_max) return out;
      // The ids of a task's run follow from its place, so a run without a lease is found too.
      for (std::int64_t attempt = 0;; ++attempt) {
        const run::TaskIds ids = run::ids_of(node, task.task, attempt);
        const bool is_there = TRY(loading.store.run(ids.run)).has_value();
        if (is_there) out.push_back(ids.session);
        if (!is_there && attempt > 0) break;
      }
    }
  }
  return out;
}

}  // namespace

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
      for (const run::Event& event : events) {
        const auto* made = std::get_if<run::NodeCreated>(&event);
        if (made != nullptr && made->items != nullptr) held->spread.push_back(made->node);
      }
      held->seen = commit.seq;
    }
  }
}

Result<std::vector<run::EffectReceipt>> effects_elsewhere(const LoadContext& loading,
                                                          const run::NodeRow& node,
                                                          std::string_view step) {
  const auto run = TRY(loading.store.run(node.run));
  std::vector<run::EffectReceipt> out;
  // All nodes of a run without a fork are on the way to this one.
  if (!run || run->nodes != node.depth + 1) {
    out = TRY(read_effects(loading, node.session))->ledger.elsewhere(step, node.id);
  }
  if (!run || !run->parent) return out;
  const auto state = TRY(load_state(loading, node));
  if (!state->task) return out;
  for (run::EffectReceipt& each : TRY(effects_of_same_task(loading, *state->task, step))) {
    out.push_back(std::move(each));
  }
  return out;
}

Result<std::vector<run::EffectReceipt>> effects_of_same_task(const LoadContext& loading,
                                                             const run::TaskRef& task,
                                                             std::string_view step) {
  std::vector<run::EffectReceipt> out;
  for (const SessionId& session : TRY(sessions_of_same_task(loading, task))) {
    const HeldEffects held = TRY(read_effects(loading, session));
    for (run::EffectReceipt& each : held->ledger.for_other_run(step)) {
      out.push_back(std::move(each));
    }
  }
  return out;
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
