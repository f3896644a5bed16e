#pragma once
// One workflow file, read, checked against the shapes and brought to one spelling: the wrapper is
// off, phases are steps, every step has a type and an id. Owned by one compilation.

#include <optional>
#include <string>

#include "workflow/check/shape_check.h"
#include "workflow/compiled.h"

namespace baton::workflow {

struct WorkflowDocument {
  SyntaxNode root;
  Dialect dialect = Dialect::native;
  std::string id;  // empty when it has none; reported unless it is only imported
  bool is_json = false;
  bool is_marked = false;  // foreign by a mark of its own, not by its form alone
};

/// Nothing when the file cannot be read at all. `file` is its index in the sources.
std::optional<WorkflowDocument> load_document(const SourceText& source, std::uint32_t file,
                                              Diagnostics& diagnostics);

/// A persona or rule: front matter and text. Nothing when it has mistakes.
std::optional<SyntaxNode> load_note(const SourceText& source, std::uint32_t file,
                                    const Shape& shape, Diagnostics& diagnostics);

/// The keys of a step that hold the steps of one block.
std::span<const std::string_view> block_keys();

}  // namespace baton::workflow
