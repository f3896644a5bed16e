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
  bool is_complete = false;   // at its newest node, or at one before a stray branch
  std::vector<Settled> path;  // from the root to that node, without blocked attempts and commands
  std::int64_t branches = 0;  // left behind: how often the run forked
  std::int64_t commands = 0;  // that the server intended to run
};

/// By run id.
Result<std::map<std::string, RunRecord>> read_records(const std::filesystem::path& db);

}  // namespace baton::lossy
