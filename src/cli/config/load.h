#pragma once
// Gathers the layers of settings from flags, environment and files, and merges them.

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "cli/config/config.h"
#include "cli/verb.h"

namespace baton::cli {

Result<Config> load_config(const World& world, const Arguments& arguments);

// Reads a config.yaml: one flat mapping of settings to a value or a list of values, and nothing
// else of YAML: no anchors, aliases, tags, directives, duplicate keys or second document. Pure.

/// `path` is only for messages and origins. CONFIG_INVALID with path:line.
Result<std::vector<Given>> read_config(std::string_view text, const std::string& path);

}  // namespace baton::cli
