#pragma once
// A recorded run as a scenario of its workflow: what its agents sent, in order, and how it stands.
// Reads only.

#include <string>
#include <vector>

#include "engine/load/find_open_step.h"
#include "workflow/show/scenario.h"

namespace baton::verbs {

struct RecordedScenario {
  workflow::ScenarioFile file;  // with one scenario
  json::Object state;           // at the end; some of it may depend on chance and on the time
  /// What a scenario cannot hold, in sentences: then it may go otherwise than the run went.
  std::vector<std::string> left_out;
};

/// The way to the run's latest point; branches that were left are not a part of it.
Result<RecordedScenario> record_scenario(const engine::ReadContext& reading,
                                         const engine::RunPoint& point);

}  // namespace baton::verbs
