#pragma once
// What the commands that Baton starts are given, by the owner's settings. Pure: values in, values
// out.

#include <map>
#include <string>
#include <string_view>

#include "cli/config/config.h"
#include "ports/process_runner.h"

namespace baton::cli {

/// REQUIRES: the settings were checked when they were merged.
ports::CommandSettings command_settings(
    const Config& config, const std::map<std::string, std::string, std::less<>>& environment);

}  // namespace baton::cli
