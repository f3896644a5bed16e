#include "verbs/prefer.h"

#include "verbs/advance.h"
#include "verbs/load.h"

namespace baton::verbs {

Result<run::Preferences> prefer(Engine& engine, const Principal& principal, const run::RunRow& run,
                                const run::PreferencesDelta& preferences) {
  const Reading reading = engine.reading();
  const run::NodeRow tip = TRY(load_node(reading, run.tip));
  if (tip.open_steps.empty()) {
    return fail(Code::INVALID_INPUT, "the run is complete; its preferences no longer matter",
                Move::list_runs);
  }
  Submission submission{.input = {}, .source = {principal.name, run::ChangedHow::terminal, {}}};
  submission.input.preferences = preferences;
  const Place place = TRY(checkpoint_place(reading, tip));
  return TRY(checkpoint(engine, place, submission)).reply.preferences;
}

}  // namespace baton::verbs
