#pragma once
// What is kept beside workflows in the folders of other systems: personas, rules, schemas, indexes.
// Told by what is in a file. Pure.

#include <string_view>

#include "workflow/read/source.h"

namespace baton::workflow {

/// "a persona", "a rule", "a schema", "an index of workflows"; empty for what may be a workflow, or
/// cannot be read.
std::string_view other_kind(const SourceText& source);

}  // namespace baton::workflow
