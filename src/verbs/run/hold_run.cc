#include "verbs/run/hold_run.h"

#include "engine/load/owner_words.h"
#include "run/decide/hold.h"

namespace baton::verbs {
namespace {

/// Appends what `next` makes of what is recorded by then. Its key is taken when another process
/// spoke first: then it is made again.
template <class Next>
auto append_word(engine::Engine& engine, const run::RunRow& run, const Next& next)
    -> decltype(next()) {
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    auto word = TRY(next());
    const auto outcome = TRY(engine.store.append(
        {run.session, run::owner_key(word), engine.clock.wall(), {run::Event(word)}}));
    if (std::holds_alternative<ports::Appended>(outcome)) return word;
  }
  Error busy = Error::make(Code::TOKEN_SESSION_LOCKED,
                           "other calls changed this run first, each time; nothing was recorded",
                           "send the same call again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

}  // namespace

Result<run::RunHeld> hold_run(engine::Engine& engine, const run::RunRow& run, run::Hold hold,
                              const OwnerWord& word) {
  return append_word(engine, run, [&]() -> Result<run::RunHeld> {
    const run::RunHeld now = TRY(engine::latest_hold(engine.reading(), run.session));
    run::RunHeld next{.run = run.run, .hold = hold, .reason = word.text, .source = word.source};
    TRY(run::check_hold(now, next, run.is_complete));
    return next;
  });
}

Result<run::Guidance> guide_run(engine::Engine& engine, const run::RunRow& run,
                                const OwnerWord& word) {
  const auto given = append_word(engine, run, [&]() -> Result<run::GuidanceGiven> {
    run::GuidanceGiven next{.run = run.run, .guidance = {.text = word.text, .source = word.source}};
    const std::int64_t count = TRY(engine::guidance_count(engine.reading(), run.session));
    TRY(run::check_guidance(count, next.guidance));
    return next;
  });
  return TRY(given).guidance;
}

}  // namespace baton::verbs
