// Links: workflow
// Template expressions and shell commands: any text is scanned to its end, what is found lies in
// it, and a lowered command holds no expression.

#include "base/core/result.h"
#include "workflow/text/expression.h"
#include "workflow/text/shell_lexer.h"

namespace baton::workflow {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Scanned scanned = scan_expressions(text);
  for (const Expression& each : scanned.expressions) {
    ASSERT(each.begin + 4 <= each.end && each.end <= text.size());
    ASSERT(!each.code.empty());
    free_names(each.code);
  }
  const LoweredShell lowered = lower_shell(text);
  if (!lowered.problems.empty()) return 0;
  ASSERT(!scanned.problem);
  ASSERT(lowered.slots.size() == scanned.expressions.size());
  if (scanned.expressions.empty()) ASSERT(lowered.command == text);
  return 0;
}

}  // namespace baton::workflow
