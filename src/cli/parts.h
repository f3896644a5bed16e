#pragma once
// Parts: the concrete pieces that the composition root chose, for the verbs to use.

#include <functional>
#include <memory>

#include "cli/backend.h"
#include "cli/config.h"
#include "cli/world.h"
#include "ports/clock.h"
#include "ports/entropy.h"
#include "ports/log.h"
#include "ports/script_host.h"
#include "ports/version_control.h"

namespace baton::cli {

struct Parts {
  std::function<std::unique_ptr<ports::Log>(const World&, const Config&)> open_log;
  std::function<std::shared_ptr<Backend>(const Config&)> open_backend;
  /// A store in memory of its own, with a clock and chance that repeat themselves. Workflows are
  /// looked for in `folder` too, before all but the bundled ones.
  std::function<std::shared_ptr<Backend>(const Config&, const std::filesystem::path& folder)>
      open_scratch;
  /// The plan of the project that the world's directory is in.
  std::function<std::shared_ptr<ports::VersionControl>(const World&, const Config&)> open_plan;
  std::shared_ptr<ports::Clock> clock;
  std::shared_ptr<ports::Entropy> entropy;
  std::shared_ptr<ports::ScriptHost> scripts;
};

}  // namespace baton::cli
