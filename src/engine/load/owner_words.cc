#include "engine/load/owner_words.h"

#include <algorithm>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "engine/load/load.h"

namespace baton::engine {
namespace {

template <class Word>
Result<Word> word_in(const run::Commit& commit) {
  for (run::Event& event : TRY(events_of(commit))) {
    if (auto* word = std::get_if<Word>(&event)) return std::move(*word);
  }
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("commit ", commit.no.value, " is not the ", Word::name, " that its key names"));
}

/// Most runs have no word of their owner: one look tells.
Result<bool> has_words(const LoadContext& loading, const SessionId& session) {
  return TRY(loading.store.newest_by_prefix(session, run::owner_key_prefix)).has_value();
}

/// A word of the owner, and the commit that has it.
template <class Word>
struct Said {
  Word word;
  run::CommitNo at;
};

template <class Word>
Result<std::optional<Said<Word>>> latest(const LoadContext& loading, const SessionId& session) {
  const auto commit = TRY(loading.store.newest_by_prefix(session, Word::key_prefix));
  if (!commit) return std::nullopt;
  return Said<Word>{TRY(word_in<Word>(*commit)), commit->no};
}

/// The hold that keeps a run from continuing at a node, and where it was recorded.
Result<std::optional<Said<run::RunHeld>>> holding(const LoadContext& loading,
                                                  const run::NodeState& state) {
  SessionId session = state.session;
  std::optional<run::TaskRef> task = state.task;
  while (true) {
    if (TRY(has_words(loading, session))) {
      auto held = TRY(latest<run::RunHeld>(loading, session));
      if (held && held->word.hold != run::Hold::running) return held;
    }
    if (!task) return std::nullopt;
    const run::NodeRow above = TRY(load_node(loading, task->node));
    session = above.session;
    task = TRY(load_state(loading, above))->task;
  }
}

}  // namespace

Result<run::RunHeld> latest_hold(const LoadContext& loading, const SessionId& session) {
  const auto said = TRY(latest<run::RunHeld>(loading, session));
  return said ? said->word : run::RunHeld{.run = {}, .number = 0, .hold = run::Hold::running};
}

Result<std::optional<run::RunHeld>> hold_at(const LoadContext& loading,
                                            const run::NodeState& state) {
  auto held = TRY(holding(loading, state));
  if (!held) return std::nullopt;
  return std::move(held->word);
}

Result<bool> was_held_before(const LoadContext& loading, const run::NodeState& state,
                             run::CommitNo commit) {
  const auto held = TRY(holding(loading, state));
  return held && held->at < commit;
}

std::unexpected<Error> run_is_held(const run::RunHeld& held) {
  const bool is_paused = held.hold == run::Hold::paused;
  const std::string reason = held.reason.empty()
                                 ? std::string()
                                 : cat(" with the reason \"", printable_line(held.reason), '"');
  return fail(is_paused ? Code::RUN_PAUSED : Code::RUN_CANCELLED,
              cat("the user ", is_paused ? "paused" : "cancelled", " this run", reason,
                  "; nothing was recorded"),
              is_paused ? Move::wait_for_user : Move::stop_work);
}

Result<void> check_not_held(const LoadContext& loading, const run::NodeState& state) {
  if (const auto held = TRY(hold_at(loading, state))) return run_is_held(*held);
  return {};
}

Result<std::int64_t> guidance_count(const LoadContext& loading, const SessionId& session) {
  const auto last = TRY(latest<run::GuidanceGiven>(loading, session));
  return last ? last->word.guidance.number : 0;
}

Result<std::vector<run::Guidance>> open_guidance(const LoadContext& loading,
                                                 const run::NodeState& state) {
  std::vector<run::Guidance> out;
  if (!TRY(has_words(loading, state.session))) return out;
  const std::int64_t delivered = state.known().guidance;
  const std::int64_t last = std::min(TRY(guidance_count(loading, state.session)),
                                     delivered + limits::guidance_per_reply_max);
  for (std::int64_t number = delivered + 1; number <= last; ++number) {
    const run::GuidanceGiven named{.run = {}, .guidance = {.number = number}};
    const auto commit = TRY(loading.store.commit_by_key(state.session, run::owner_key(named)));
    if (!commit) {
      return fail(Code::STORAGE_CORRUPTION_DETECTED,
                  cat("guidance ", number, " of ", state.run.text(), " is missing in the log"));
    }
    out.push_back(TRY(word_in<run::GuidanceGiven>(*commit)).guidance);
  }
  return out;
}

}  // namespace baton::engine
