// The composition root: the only file that names concrete adapters.

#include <unistd.h>

#include "adapters/log/stream_log.h"
#include "adapters/system/clock.h"
#include "cli/app.h"
#include "cli/parts.h"

namespace baton {
namespace {

cli::Parts compose() {
  cli::Parts parts;
  parts.clock = std::make_shared<adapters::SystemClock>();
  parts.open_log = [clock = parts.clock](const cli::World& world, const cli::Config& config) {
    return std::make_unique<adapters::StreamLog>(
        world.errors, config.verbose() ? ports::Level::debug : ports::Level::warn,
        world.errors_are_terminal ? adapters::LogForm::human : adapters::LogForm::json, *clock);
  };
  parts.open_toolbox = [](const cli::Config&) -> Result<cli::Toolbox> { return cli::Toolbox{}; };
  return parts;
}

int run(int argc, char** argv) {
  const cli::Ending ending = cli::run(cli::world_of_process(argc, argv), compose());
  const int code = static_cast<int>(ending.exit);
  // What still runs must not meet destructors.
  if (ending.threads == cli::Threads::left_running) _exit(code);
  return code;
}

}  // namespace
}  // namespace baton

int main(int argc, char** argv) { return baton::run(argc, argv); }
