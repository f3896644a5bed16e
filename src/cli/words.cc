#include "cli/words.h"

#include "surface/words.h"

namespace baton::cli {

std::string say(const NextMove& next) {
  switch (next.kind) {
    case Move::list_workflows: return "`baton list` shows which there are";
    case Move::give_inputs: return "give inputs with --input NAME=VALUE";
    case Move::start_again: return next.value;
    case Move::show_effects: return "`baton effects RUN` lists the steps and nodes of its effects";
    case Move::trust_commands:
      return "`baton trust WORKFLOW` reviews its commands and trusts it; or undo it by hand";
    case Move::look_again: return "`baton show RUN` shows the run";
    case Move::set_goal:
    case Move::goal_above:
      return "start it with a header such as 'feat(plan): Keep it'; docs/plan.md has the grammar";
    case Move::set_tasks:
    case Move::tasks_apart:
    case Move::mark_tasks:
      return "an agent makes a plan through `baton serve --surface planner`; `baton help plan` "
             "says "
             "where it is kept";
    case Move::add_tasks:
      return "an agent makes a plan through `baton serve --surface planner`; `baton plan mark TASK "
             "--open` opens a task again";
    default: return surface::tell_owner(next);
  }
}

}  // namespace baton::cli
