#pragma once
// `baton test --from RUN`: a recorded run as a scenario.

#include <string>

#include "cli/verb.h"

namespace baton::cli {

Result<Ending> write_scenario_of(const VerbCall& call, const std::string& run);

}  // namespace baton::cli
