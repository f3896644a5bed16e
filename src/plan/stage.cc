#include "plan/stage.h"

namespace baton::plan {

int stage_of(const Plan& document) {
  if (!document.header) return 0;
  const auto directive = directive_of(document);
  if (directive == complete_directive) return 6;
  if (directive || !document.tasks.empty()) return 5;
  if (!document.constraints.empty()) return 4;
  if (!document.description) return 1;
  return document.header->title ? 3 : 2;
}

}  // namespace baton::plan
