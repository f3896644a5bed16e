#include "verbs/run/set_preferences.h"

#include "engine/advance.h"
#include "engine/load/load.h"

namespace baton::verbs {

Result<run::Preferences> set_preferences(engine::Engine& engine, const run::ChangeSource& source,
                                         const run::RunRow& run,
                                         const run::PreferencesDelta& preferences) {
  const engine::ReadContext reading = engine.reading();
  const run::NodeRow tip = TRY(load_node(reading, run.tip));
  if (tip.open_steps.empty()) {
    return fail(Code::INVALID_INPUT, "the run is complete; its preferences no longer matter",
                Move::list_runs);
  }
  engine::Submission submission{.input = {}, .source = source, .is_owners = true};
  if (source.how != run::ChangedHow::terminal) {
    submission.asked = run::GateWord{.gate = {}, .source = source};
  }
  submission.input.preferences = preferences;
  // Another process may have been told more than this one.
  const auto state = TRY(load_state(reading, tip));
  engine::Engine strict = engine;
  strict.policy.set(run::with_recorded(engine.policy.now(), state->known().policy));
  const engine::Place place = TRY(checkpoint_place(reading, tip));
  return TRY(checkpoint(strict, place, submission)).reply.preferences;
}

}  // namespace baton::verbs
