#pragma once
// Reads a config.yaml: one flat mapping of settings to a value or a list of values, and nothing
// else of YAML: no anchors, aliases, tags, directives, duplicate keys or second document. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/config.h"

namespace baton::cli {

/// `path` is only for messages and origins. CONFIG_INVALID with path:line.
Result<std::vector<Given>> read_config(std::string_view text, const std::string& path);

}  // namespace baton::cli
