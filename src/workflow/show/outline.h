#pragma once
// A compiled workflow as a picture: an indented outline, a Mermaid flowchart, a Graphviz digraph.
// Pure.

#include <string>

#include "workflow/compiled.h"

namespace baton::workflow {

std::string outline_of(const CompiledWorkflow& workflow);
std::string mermaid_of(const CompiledWorkflow& workflow);
std::string dot_of(const CompiledWorkflow& workflow);

}  // namespace baton::workflow
