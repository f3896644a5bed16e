#pragma once
// Frame: the names that the steps of one workflow, include or task can read and write. Made from
// what the document declares. A value.

#include <set>
#include <string>

#include "workflow/check/shape.h"
#include "workflow/read/node.h"

namespace baton::workflow {

using NameSet = std::set<std::string, std::less<>>;

struct NameScope {
  Dialect dialect = Dialect::native;
  const SyntaxNode* owner = nullptr;  // whose state it is
  NameSet inputs;
  NameSet raw;
  NameSet state;
  NameSet computed;
  NameSet includes;  // ids of include steps, and the computed fields of what they include

  /// Without any, names come from the context that agents set and cannot be known.
  bool declares_state() const { return !raw.empty() || !state.empty() || !computed.empty(); }

  /// Every name that can be read bare.
  std::vector<std::string> readable() const;
};

/// `owner`: a document, the frame of an include, or a task.
NameScope frame_of(const SyntaxNode& owner, Dialect dialect);

}  // namespace baton::workflow
