#pragma once
// The workflows, personas and rules that are part of the program, from content/. Constant data.

#include <span>
#include <string_view>

namespace baton::workflow {

struct EmbeddedText {
  std::string_view name;  // "workflows/baton.bug-fix.yaml", "agents/reviewer.md", "rules/x.md"
  std::string_view text;
};

std::span<const EmbeddedText> bundled_texts();

}  // namespace baton::workflow
