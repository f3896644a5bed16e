#pragma once
// Why a run ended before its work was done, for all that tell of it. Reads only.

#include <optional>
#include <string>

#include "engine/load/find_open_step.h"

namespace baton::verbs {

struct EndReason {
  std::string step;     // the key of the one that failed; empty when the run was ended by a caller
  std::string type;     // what failed
  std::string message;  // may be empty for a run that was ended
  bool operator==(const EndReason&) const = default;
};

/// Nothing for a run that is open or complete.
Result<std::optional<EndReason>> why_ended(const engine::LoadContext& loading,
                                           const engine::RunPoint& point);

}  // namespace baton::verbs
