#pragma once
// What one thing is called in several ways gets one form, step by step: units of time, tools and
// their arguments, writes of results, strategies after an error. Pure.

#include "workflow/check/shape_check.h"

namespace baton::workflow {

/// Every step below `root`, which check_shape let through.
void normalise_steps(SyntaxNode& root, const CheckContext& context);

/// A whole document, with what its dialect writes differently beside the steps.
void normalise_document(SyntaxNode& root, Dialect dialect, Diagnostics& diagnostics);

}  // namespace baton::workflow
