#include "engine/fork.h"

#include <algorithm>

#include "engine/effects/read_effects.h"
#include "engine/load/load.h"
#include "engine/load/newest_leaf.h"

namespace baton::engine {

Result<run::LeftBranch> left_branch(const ReadContext& reading, const Place& place) {
  auto [node, way] = TRY(newest_leaf(reading, place.node));
  const run::TokenSettings minting = TRY(current_token_settings(reading));
  run::LeftBranch out{.step = place.step,
                      .tip = {.kind = run::TokenKind::state,
                              .node = node.id,
                              .life_minutes = minting.life_minutes,
                              .key_slot = minting.key_slot}};
  const auto read = std::min(way.length, static_cast<std::int64_t>(limits::fork_walk_nodes_max));
  out.nodes_unread = way.length - read;
  run::BranchCommands commands(TRY(undone_effects(reading, place.node.session)));
  for (std::int64_t left = read; left > 0; --left) {
    const CommitEvents events = TRY(load_events(reading, node.no.commit()));
    commands.add({events.begin(), events.end()});
    if (left > 1) node = TRY(load_parent(reading, node));
  }
  std::move(commands).finish(out);
  return out;
}

Result<std::optional<run::LeftBranch>> left_by(const ReadContext& reading, run::NodeNo node) {
  for (const run::Event& event : TRY(load_events(reading, node.commit()))) {
    const auto* record = std::get_if<run::AdvanceRecorded>(&event);
    const json::Value* left = record == nullptr ? nullptr : record->reply.find("left");
    if (left != nullptr) return TRY(run::left_branch_from_json(*left));
  }
  return std::nullopt;
}

}  // namespace baton::engine
