#pragma once
// The table of surfaces: all that a server needs to know of each. To add one, write its folder
// and a line in surfaces.cc. Immutable; any thread.

#include <span>
#include <string_view>
#include <vector>

#include "surface/arguments.h"
#include "surface/planner/tools.h"
#include "surface/words.h"

namespace baton::surface {

/// What surfaces work on.
struct SurfaceSources {
  EngineSource engine;
  planner::PlannerSource planner;
};

struct Surface {
  std::string_view name;
  std::vector<protocol::Tool> (*tools)(const SurfaceSources& sources);
  std::vector<protocol::Prompt> (*prompts)(const SurfaceSources& sources);
  Say say;
  std::string_view (*instructions)();
};

/// In the order of importance: of several that a server offers, the first tells agents how to
/// begin.
std::span<const Surface> surfaces();

}  // namespace baton::surface
