#include "cli/commands/test_from.h"

#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "engine/load/find_run.h"
#include "verbs/run/record_scenario.h"
#include "verbs/workflow/play_scenario.h"

namespace baton::cli {
namespace {

/// What is the same whenever the run is played: chance and the time give other values.
json::Object lasting(const json::Object& recorded, const json::Object& played) {
  json::Object out;
  for (const json::Member& each : recorded) {
    const json::Value* again = played.find(each.key);
    if (again != nullptr && *again == each.value) out.set(each.key, each.value);
  }
  return out;
}

std::string about(const verbs::RecordedScenario& recorded, const run::RunRow& row) {
  std::string out = cat("Recorded from ", row.run.text(), '.');
  for (const std::string& each : recorded.left_out)
    out += cat("\nA scenario cannot hold that ", each, '.');
  return out;
}

}  // namespace

Result<Ending> write_scenario_of(const VerbCall& call, const std::string& run) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(engine::find_run(engine->store, run));
  const engine::RunPoint point = TRY(engine::find_open_step(engine->reading(), {}, row.run.text()));
  verbs::RecordedScenario recorded = TRY(verbs::record_scenario(engine->reading(), point));
  // It is played at once: what does not come again is left out, and what goes otherwise is told.
  const auto scratch = call.parts.open_scratch(config, call.world.directory);
  workflow::Scenario& scenario = recorded.file.scenarios.front();
  const verbs::PlayedScenario played =
      TRY(verbs::play_scenario(*TRY(scratch->engine()), recorded.file.workflow, scenario));
  if (played.passed()) scenario.state = lasting(recorded.state, played.state);
  TRY(write_text(call.world.output,
                 workflow::print_scenarios(recorded.file, about(recorded, row))));
  if (played.passed()) return ExitCode::ok;
  TRY(write_text(call.world.errors,
                 cat("baton: the scenario does not pass as it is: ", played.problem, '\n')));
  return ExitCode::no;
}

}  // namespace baton::cli
