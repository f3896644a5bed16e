#pragma once
// Values of the context in a prompt's text: `{{ path }}` becomes what the path names. Pure.

#include <string>
#include <string_view>

#include "run/scope.h"

namespace baton::run {

/// Each value is cut at limits::prompt_value_bytes_max, all of one text together at
/// limits::prompt_values_bytes_max. A path that names nothing becomes `[unset: path]`, which an
/// agent can see and report; so does code that is no plain path.
std::string with_values(std::string_view text, const Scope& scope);

}  // namespace baton::run
