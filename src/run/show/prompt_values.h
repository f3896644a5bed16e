#pragma once
// Values in a prompt's text: `{{ expression }}` becomes its value. Pure.

#include <string>
#include <string_view>

#include "run/walk/scripts.h"

namespace baton::run {

/// Each value is cut at limits::prompt_value_bytes_max, all of one text together at
/// limits::prompt_values_bytes_max. A path that names nothing becomes `[unset: path]` and a script
/// that fails `[failed: why]`, which an agent can see and report.
std::string with_values(std::string_view text, const RunScope& scope, Scripts& scripts);

}  // namespace baton::run
