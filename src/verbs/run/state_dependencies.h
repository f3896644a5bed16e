#pragma once
// What a field of a run's state is computed from, and what is computed from it. Reads only.

#include <string>
#include <vector>

#include "engine/engine.h"

namespace baton::verbs {

struct StateDependencies {
  std::vector<std::string> direct;      // as the workflow names them; none for a field that is set
  std::vector<std::string> all;         // and what these are computed from, each once
  std::vector<std::string> dependents;  // computed fields that read it, directly or through others
};

/// STATE_UNKNOWN_NAME, with the nearest, for a field that the workflow does not declare. `field`
/// may have its tier before it: `computed.total`. `frame`: whose fields are meant; empty: the
/// root's.
Result<StateDependencies> state_dependencies(const engine::LoadContext& loading,
                                             const run::RunRow& run, std::string_view field,
                                             std::string_view frame = {});

}  // namespace baton::verbs
