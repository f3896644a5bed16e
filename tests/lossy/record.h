#pragma once
// What the store holds of each run in the end, read from its log alone.

#include <filesystem>
#include <map>

#include "story.h"

namespace baton::lossy {

/// What a step was settled with.
struct Settled {
  std::string step;
  std::string notes;
  json::Array artifacts;
};

struct RunRecord {
  bool is_complete = false;   // at its newest node
  std::vector<Settled> path;  // from the root to that node, blocked attempts left out
};

/// By run id.
Result<std::map<std::string, RunRecord>> read_records(const std::filesystem::path& db);

}  // namespace baton::lossy
