#pragma once
// A commit message against the rules of its header, for a commit-msg hook. Values only; any thread.

#include <string>
#include <string_view>
#include <vector>

#include "plan/validate.h"

namespace baton::plan {

/// The message as git will keep it: without comment lines and what is below the scissors line,
/// without empty lines at its ends.
std::string cleaned_message(std::string_view text);

/// Messages that git writes itself (merges, reverts, fixups) pass.
Validation lint_commit(std::string_view text, const Config& config);

}  // namespace baton::plan
