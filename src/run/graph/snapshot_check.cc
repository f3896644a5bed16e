#include "run/graph/snapshot_check.h"

namespace baton::run {
namespace {

NodeState without_counts(NodeState state) {
  if (state.ledger == nullptr) return state;
  auto ledger = std::make_shared<KnownFacts>(*state.ledger);
  ledger->tries = {};
  ledger->repeated.clear();
  state.ledger = std::move(ledger);
  return state;
}

}  // namespace

bool is_snapshot_of(std::string_view text, const NodeState& state) {
  const auto read = read_snapshot(text);
  if (!read) return false;
  const auto again = write_snapshot(*read);
  return again && *again == text && without_counts(*read) == without_counts(state);
}

}  // namespace baton::run
