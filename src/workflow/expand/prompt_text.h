#pragma once
// The whole text of a prompt from its parts: blocks as sections, references, guidance, functions,
// what must be sent. Pure.

#include "workflow/expand/library.h"

namespace baton::workflow {

/// Text of a string or of a list of parts. Unknown refs are reported.
std::string text_of_parts(const SyntaxNode& value, Diagnostics& diagnostics);

/// promptBlocks as Markdown: goal, constraints, procedure, outputRequired, verify.
std::string text_of_blocks(const SyntaxNode& blocks, Diagnostics& diagnostics);

/// Where a step was written.
struct PromptPlace {
  const SyntaxNode& document;
  const std::vector<const SyntaxNode*>& loops;  // around it, from the outside in
};

/// Puts the step's whole text under "prompt" and takes out what went into it.
void compose_prompt(SyntaxNode& step, const PromptPlace& place, const Library& library,
                    Diagnostics& diagnostics);

/// What the agent reads before the first step: guidance, preconditions, questions, references.
std::string opening_text(const SyntaxNode& document);

}  // namespace baton::workflow
