#pragma once
// Checks of what expressions read and updates write: every `{{ ... }}` is found with its place, its
// names are held against what is declared, written paths against the tiers, computed fields for
// circles. Pure.

#include "workflow/expand/expand.h"
#include "workflow/text/expression.h"

namespace baton::workflow {

/// An expression of the workflow, for the check of its JavaScript.
struct FoundExpression {
  SourcePlace at;
  std::string code;
  ExpressionFilter filter = ExpressionFilter::none;
  bool is_path = false;       // resolves without a script
  bool is_transform = false;  // may also be statements with a return
};

/// In a file of AroMCP names that are not declared become fields of `expanded`.
std::vector<FoundExpression> check_names(Expanded& expanded, Dialect dialect,
                                         const Sources& sources, Diagnostics& diagnostics);

/// The computed fields of `schema` in an order in which each comes after what it is computed from;
/// fields in a circle are left out.
std::vector<const SyntaxNode*> computed_order(const SyntaxNode& schema);

}  // namespace baton::workflow
