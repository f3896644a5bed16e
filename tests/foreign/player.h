#pragma once
// Plays a workflow to its end as a simple agent would, which does what it is told and makes up the
// rest. Nothing is expected but that the run begins and ends.

#include <string>
#include <vector>

#include "engine/engine.h"

namespace baton::testing {

struct Played {
  std::string problem;  // why it did not come to its end; empty when it did
  std::string status;   // of the run
  std::size_t steps = 0;
  std::vector<std::string> last;  // the last steps that were passed
};

/// Why no run of it begins, whatever the context has of what it goes by; empty when one does.
std::string why_no_start(engine::Engine& engine, const std::string& workflow);

/// The run stays in the engine's store.
Played play_to_end(engine::Engine& engine, const std::string& workflow, run::Autonomy autonomy);

}  // namespace baton::testing
