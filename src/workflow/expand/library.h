#pragma once
// Library: the files of one compilation that were asked for, by the name they were asked by. Owned
// by the compiler.

#include <map>
#include <string>
#include <vector>

#include "workflow/read/document.h"

namespace baton::workflow {

/// Where an injected piece comes from, beside the compiled form and not part of its hash.
struct StepOrigin {
  std::string step;  // the id of the compiled step
  std::string
      from;        // "include shared:checks", "template capability_probe", "feature mode_guidance"
  SourcePlace at;  // what asked for it
  bool operator==(const StepOrigin&) const = default;
};

struct Library {
  std::map<std::string, WorkflowDocument, std::less<>> workflows;  // by the name asked for
  std::map<std::string, SyntaxNode, std::less<>> personas;         // by name
  std::vector<SyntaxNode> rules;                                   // those that always apply
  std::map<std::string, std::string, std::less<>> bindings;  // slot -> routine, of the project

  /// By the name asked for, or by its own id among what was imported.
  const WorkflowDocument* find(std::string_view name) const {
    if (const auto found = workflows.find(name); found != workflows.end()) return &found->second;
    for (const auto& [asked, document] : workflows) {
      if (document.id == name) return &document;
    }
    return nullptr;
  }
};

}  // namespace baton::workflow
