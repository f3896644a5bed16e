#pragma once
// Parts: the concrete pieces that the composition root chose, for the verbs to use.

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "cli/config.h"
#include "cli/world.h"
#include "ports/clock.h"
#include "ports/log.h"
#include "protocol/tool.h"

namespace baton::cli {

/// The tools of the surfaces in use and whatever they need to stay alive, which is in `keeper`.
struct Toolbox {
  std::shared_ptr<void> keeper;
  std::vector<protocol::Tool> tools;
};

struct Parts {
  std::function<std::unique_ptr<ports::Log>(const World&, const Config&)> open_log;
  std::function<Result<Toolbox>(const Config&)> open_toolbox;
  std::shared_ptr<ports::Clock> clock;
};

}  // namespace baton::cli
