#include "engine/load/recorded_attempt.h"

#include <algorithm>

namespace baton::engine {

Result<std::optional<RecordedAttempt>> load_attempt(const LoadContext& loading,
                                                    const run::NodeRow& node,
                                                    const run::AttemptKey& key) {
  const auto made = TRY(loading.store.attempt(node.no, key));
  if (!made) return std::nullopt;
  CommitEvents events = TRY(load_events(loading, made->commit()));
  RecordedAttempt out{*made, std::move(events)};
  for (const run::Event& event : out.events) {
    const auto* candidate = std::get_if<run::AdvanceRecorded>(&event);
    if (candidate != nullptr && candidate->node == node.id && candidate->attempt == key) {
      out.record = candidate;
    }
  }
  if (out.record == nullptr) {
    return fail(Code::STORAGE_CORRUPTION_DETECTED, "an attempt is listed but not in the log");
  }
  return out;
}

Result<std::optional<RecordedAttempt>> find_attempt(const LoadContext& loading,
                                                    const run::NodeRow& node, run::AttemptKey key,
                                                    std::uint16_t settled, const Sha256& input) {
  key.count = 0;
  const std::string step = run::attempt_dedupe_key(node.id, key);
  auto known = loading.caches.inputs.find(step);
  if (known == nullptr || known->size() < settled) {
    std::vector<Sha256> inputs = known == nullptr ? std::vector<Sha256>() : *known;
    while (inputs.size() < settled) {
      key.count = static_cast<std::uint16_t>(inputs.size());
      const auto attempt = TRY(load_attempt(loading, node, key));
      if (!attempt) {
        return close_session(loading.caches, node.session,
                             cat("the history of ", node.session.text(),
                                 " is inconsistent: an attempt is counted and not recorded"));
      }
      inputs.push_back(attempt->record->input);
    }
    known = loading.caches.inputs.put(step, std::move(inputs));
  }
  const auto found = std::ranges::find(*known, input);
  if (found == known->end()) return std::nullopt;
  key.count = static_cast<std::uint16_t>(found - known->begin());
  return load_attempt(loading, node, key);
}

}  // namespace baton::engine
