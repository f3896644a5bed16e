#pragma once
// Plays a scenario: a run in the engine it is given, driven by what the scenario sends, compared
// with what it says must happen. Nothing is decided here; the engine is the one that agents use.

#include "engine/engine.h"
#include "workflow/show/scenario.h"

namespace baton::verbs {

struct PlayedScenario {
  std::string problem;       // what came otherwise, in lines; empty when all went as written
  workflow::SourcePlace at;  // of the part of the scenario that it is about
  json::Object state = {};   // of the run, when it came to the end of the scenario

  bool passed() const { return problem.empty(); }
};

/// The run stays in the engine's store. An error when the store fails.
Result<PlayedScenario> play_scenario(engine::Engine& engine, const std::string& workflow,
                                     const workflow::Scenario& scenario);

}  // namespace baton::verbs
