#pragma once
// Conditions: an expression, or a condition object of a variable and an operator under and, or,
// not. Checked with the shapes; lowered to one form that the engine evaluates. Pure.

#include "workflow/check/shape.h"
#include "workflow/read/node.h"

namespace baton::workflow {

/// False when it cannot be used; the diagnostics say why.
bool check_condition(SyntaxNode& node, const CheckContext& context);

/// The one form: {"js": text}, {"var": name} for truth, {"var", "op", "value"}, {"and": [...]},
/// {"or": [...]}, {"not": ...}. REQUIRES: check_condition let it through.
json::Value lower_condition(const SyntaxNode& node);

}  // namespace baton::workflow
