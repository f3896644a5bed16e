#pragma once
// Gathers the layers of settings from flags, environment and files, and merges them.

#include "cli/config.h"
#include "cli/verb.h"

namespace baton::cli {

Result<Config> load_config(const World& world, const Arguments& arguments);

}  // namespace baton::cli
