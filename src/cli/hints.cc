#include "cli/hints.h"

namespace baton::cli {
namespace {

struct Wording {
  std::string_view tool;
  std::string_view hint;
};

// The first whose tool the verb's hint names.
constexpr Wording wordings[] = {
    {"list_workflows", "'baton list' shows which there are"},
    {"start_workflow", "give inputs with --input NAME=VALUE"},
    {"mark_task",
     "an agent makes a plan through 'baton serve --surface planner'; 'baton plan mark TASK --open' "
     "opens a task again"},
    {"set_plan",
     "an agent makes a plan through 'baton serve --surface planner'; 'baton help plan' says where "
     "it is kept"},
    {"set_overarching_goal",
     "begin it with a header such as 'feat(plan): Keep it'; docs/plan.md has the grammar"}};

}  // namespace

Error for_terminal(Error error) {
  for (const Wording& wording : wordings) {
    if (!error.hint.contains(wording.tool)) continue;
    error.hint = wording.hint;
    break;
  }
  return error;
}

}  // namespace baton::cli
