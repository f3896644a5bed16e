#pragma once
// Holds a tree against the shapes. What it lets through has known keys only, in one spelling, with
// values of the right types; step types are in one spelling and always said. Pure.

#include "workflow/check/diagnostic.h"
#include "workflow/check/shape.h"
#include "workflow/read/node.h"

namespace baton::workflow {

/// Corrects `node` in place: aliases become their canonical key, ignored keys are removed, step
/// types are filled in. Every mistake is reported; parts that are wrong are taken out.
void check_shape(SyntaxNode& node, const Shape& shape, const CheckContext& context);

/// Which system's words the document speaks: `baton: 1` is native; else the marks decide.
Dialect dialect_of(const SyntaxNode& document, std::string_view path);

/// Whether a file says of itself that WorkRail is its system, rather than only looking like it.
bool has_workrail_mark(const SyntaxNode& document, std::string_view path);

}  // namespace baton::workflow
