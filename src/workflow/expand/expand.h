#pragma once
// Expansion: includes and routines become steps, built-in templates too, features and refs become
// text, prompts become whole. What remains is one tree of plain steps, with provenance. Pure.

#include "workflow/expand/library.h"

namespace baton::workflow {

struct Expanded {
  SyntaxNode root;   // the document, its "steps" expanded
  SyntaxNode tasks;  // every sub-agent task, by name
  std::vector<StepOrigin> provenance;
};

/// Moves the document's tree out of it.
Expanded expand(WorkflowDocument& main, const Library& library, Diagnostics& diagnostics);

}  // namespace baton::workflow
