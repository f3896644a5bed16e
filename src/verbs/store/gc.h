#pragma once
// Removes sessions without recent activity, and expired MCP tasks: each whole
// and with tombstones.

#include "engine/engine.h"

namespace baton::verbs {

struct GcRequest {
  std::int64_t quiet_days = 90;
  bool only_completed = false;
  bool dry_run = false;
};

struct GcReport {
  std::vector<SessionId> removed;  // or to be removed, in a dry run
  std::int64_t kept = 0;           // sessions
};

Result<GcReport> gc(engine::Engine& engine, const GcRequest& request);

}  // namespace baton::verbs
