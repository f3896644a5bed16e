#pragma once
// How the settings of commands are written: names of variables, and limits. Pure.

#include <string_view>

#include "ports/process_runner.h"

namespace baton::cli {

/// Whether `text` names variables as `commands.env` does: NAME or PREFIX*.
bool names_variables(std::string_view text);

/// NAME=NUMBER or NAME=none, as `commands.limits` has it, applied to `limits`; false when it is
/// something else.
bool apply_limit(std::string_view text, ports::ResourceLimits& limits);

}  // namespace baton::cli
