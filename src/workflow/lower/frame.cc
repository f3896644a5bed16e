#include "workflow/lower/frame.h"

namespace baton::workflow {
namespace {

void add_keys(NameSet& names, const SyntaxNode* object) {
  if (object == nullptr) return;
  for (const SyntaxNode& child : object->children) names.insert(child.key);
}

}  // namespace

std::vector<std::string> NameScope::readable() const {
  std::vector<std::string> out;
  for (const NameSet* names : {&computed, &raw, &state, &inputs, &includes}) {
    out.insert(out.end(), names->begin(), names->end());
  }
  return out;
}

NameScope frame_of(const SyntaxNode& owner, Dialect dialect) {
  NameScope frame;
  frame.dialect = dialect;
  frame.owner = &owner;
  add_keys(frame.inputs, owner.find("inputs"));
  for (const std::string_view part : {"state_schema", "default_state"}) {
    const SyntaxNode* found = owner.find(part);
    if (found == nullptr) continue;
    add_keys(frame.raw, found->find("raw"));
    add_keys(frame.state, found->find("state"));
    add_keys(frame.computed, found->find("computed"));
    add_keys(frame.inputs, found->find("inputs"));
  }
  return frame;
}

}  // namespace baton::workflow
