#include "verbs/run/set_preferences.h"

#include "engine/advance.h"
#include "engine/load/load.h"

namespace baton::verbs {

Result<run::Preferences> set_preferences(engine::Engine& engine, const engine::Principal& principal,
                                         const run::RunRow& run,
                                         const run::PreferencesDelta& preferences) {
  const engine::ReadContext reading = engine.reading();
  const run::NodeRow tip = TRY(load_node(reading, run.tip));
  if (tip.open_steps.empty()) {
    return fail(Code::INVALID_INPUT, "the run is complete; its preferences no longer matter",
                Move::list_runs);
  }
  engine::Submission submission{.input = {},
                                .source = {principal.name, run::ChangedHow::terminal, {}}};
  submission.input.preferences = preferences;
  const engine::Place place = TRY(checkpoint_place(reading, tip));
  return TRY(checkpoint(engine, place, submission)).reply.preferences;
}

}  // namespace baton::verbs
