#pragma once
// References: documents that a workflow points to. Its first prompt has them in full; here is
// what a caller is told of them beside prompts. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "workflow/compiled.h"

namespace baton::run {

/// In brief, a line each with a heading, for a returning caller. Those that `prompt` shows
/// already are left out; past limits::recap_references_bytes_max it is cut.
std::string references_text(const workflow::CompiledWorkflow& workflow, std::string_view prompt);

struct Reference {
  std::string title;
  std::string source;  // a path
  bool operator==(const Reference&) const = default;
};

/// Those whose path starts at the workspace.
std::vector<Reference> workspace_references(const workflow::CompiledWorkflow& workflow);

}  // namespace baton::run
