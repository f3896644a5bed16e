#pragma once
// A run by its id, and what was seen when it was started. Reads only.

#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace baton::engine {

/// A run by its id, or by its session's. NOT_FOUND otherwise.
Result<run::RunRow> find_run(ports::EventReader& store, std::string_view id);

/// What was seen around the run when it was started.
Result<std::vector<run::ObservationRecorded>> observations(ports::EventReader& store,
                                                           const run::RunRow& run);

}  // namespace baton::engine
