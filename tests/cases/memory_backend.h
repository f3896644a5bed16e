#pragma once
// Backends in memory, one for each store that the commands of a case name, so that a later command
// finds what an earlier one recorded. Any thread.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cli/config/config.h"
#include "cli/parts.h"
#include "ports/script_host.h"

namespace baton::cases {

class MemoryMachine {
 public:
  std::shared_ptr<cli::Backend> open(const cli::Config& config,
                                     std::shared_ptr<ports::ScriptHost> scripts);

  /// A private store. Workflows are looked for in `folder` first.
  static std::shared_ptr<cli::Backend> open_scratch(const cli::Config& config,
                                                    const std::filesystem::path& folder,
                                                    std::shared_ptr<ports::ScriptHost> scripts);

 private:
  struct Disk;

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Disk>> disks_;  // guarded by mutex_
};

}  // namespace baton::cases
