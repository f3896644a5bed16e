#include "surface/atomic/tools.h"

#include "surface/reference.h"

namespace baton::surface::atomic {
namespace {

constexpr std::string_view opening = R"(# The atomic tools

Made from the tools' own tables; `BATON_REBASELINE=1 build/dev/tests/verbs/verbs_contract_test
--gtest_filter='atomic_reference.*'` rewrites it.

`baton serve --surface atomic` offers them. The agent is an executor: conditions, loops and state
are Baton's, and `workflow_get_next_step` gives one action that can be carried out as it stands. A
run is named by its `workflow_id`, a step by its `id`; there are no tokens to keep. The runs are
those of every surface: `workflow_id` is the rail's `runId`, and a run that was begun here goes on
there, and the other way round. Names are accepted with dots too, as in `workflow.get_next_step`. A
mistake is answered with `isError`, a `code` ([errors](errors/README.md)) and a `message` that says
what to do, and changes nothing.
)";

}  // namespace

std::vector<protocol::Tool> tools(const EngineSource& engine) {
  return {workflow_list(engine),
          workflow_get_info(engine),
          workflow_load_definition(engine),
          workflow_explain_plan(engine),
          workflow_start(engine),
          workflow_get_next_step(engine),
          workflow_step_complete(engine),
          workflow_checkpoint(engine),
          workflow_resume(engine),
          workflow_complete(engine),
          workflow_state_read(engine),
          workflow_state_update(engine),
          workflow_state_dependencies(engine),
          workflow_trace_transformations(engine),
          workflow_debug_info(engine),
          workflow_test_transformation(engine)};
}

std::string reference() {
  const EngineSource none = []() -> Result<verbs::Engine*> {
    return fail(Code::INTERNAL, "there is no engine");
  };
  return surface::reference(opening, tools(none));
}

std::string_view instructions() {
  return "Baton keeps long work on course. It holds workflows (reviewed procedures), decides what "
         "comes next, hands you one action at a time, and records what you did, so that a crash or "
         "a new chat loses nothing.\n"
         "\n"
         "How to begin:\n"
         "1. workflow_list shows what there is. If one fits the user's request, use it instead of "
         "improvising. workflow_get_info says which inputs it needs.\n"
         "2. workflow_start {workflow, inputs} returns a workflow_id.\n"
         "3. workflow_get_next_step {workflow_id} returns one step, or step null at the end. "
         "Asking again returns the same step until it is completed.\n"
         "4. Do exactly what the step's instructions and definition ask, with your own tools.\n"
         "5. workflow_step_complete {workflow_id, step_id, status, result} records it. Then go "
         "back to 3.\n"
         "6. When step is null: workflow_complete {workflow_id, status: \"success\"}, and a "
         "summary for the user.\n"
         "\n"
         "Rules:\n"
         "- Conditions, loops and state are Baton's. Never skip, reorder or invent steps.\n"
         "- success false with blockers means the step stays open: mend what they say and complete "
         "it again.\n"
         "- A step that cannot be done: complete it with status \"failed\" and the error. What "
         "follows is the workflow's to say.\n"
         "- Completing the same step twice is safe: you get the recorded answer.\n"
         "- When your context runs short: workflow_checkpoint. In a new chat: workflow_resume "
         "{workflow_id}.\n"
         "- An error's message says what to change. A refused call changes nothing.\n";
}

}  // namespace baton::surface::atomic
