#pragma once
// Whether the file that a run's workflow came from still is what the run is pinned to. A run never
// depends on the answer, so nothing here fails.

#include <optional>
#include <string>

#include "engine/engine.h"

namespace baton::engine {

/// A sentence for the caller that continues the run, when the workflow's file now compiles to
/// something else or no file is of that workflow any more; nothing when neither is so, or the
/// files cannot be read.
std::optional<std::string> drift_warning(const ReadContext& reading, const std::string& workflow_id,
                                         const Sha256& pinned);

}  // namespace baton::engine
