#pragma once
// Options that several verbs about one run take.

#include <optional>

#include "base/ids.h"
#include "cli/verb.h"

namespace baton::cli {

/// The value of an option, or nothing when it was not given.
std::optional<std::string> option_of(const Arguments& arguments, std::string_view name);

/// --node NODE; nothing when it was not given. INVALID_ID when it is none.
Result<std::optional<NodeId>> node_option(const Arguments& arguments);

}  // namespace baton::cli
