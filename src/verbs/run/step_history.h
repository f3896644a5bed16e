#pragma once
// The steps on the way to the latest point of a run. Reads only.

#include <vector>

#include "engine/load/find_open_step.h"

namespace baton::verbs {

struct StepRecord {
  std::string step;  // its key
  WallMs started;    // when it became open
  WallMs completed;
  bool failed = false;
  std::string problem = {};  // of one that failed
};

struct StepHistory {
  std::vector<StepRecord> steps;  // the newest first, at most limits::step_history_max
  bool is_whole = true;
};

Result<StepHistory> step_history(const engine::ReadContext& reading, const engine::RunPoint& point);

}  // namespace baton::verbs
