#include "surface/atomic/tools.h"

#include "surface/reference.h"

namespace baton::surface::atomic {
namespace {

constexpr std::string_view opening = R"(# The atomic tools

Made from the tools' own tables; `BATON_REBASELINE=1 build/dev/tests/verbs/verbs_contract_test
--gtest_filter='atomic_reference.*'` rewrites it.

`baton serve --surface atomic` offers them. The agent is an executor: conditions, loops and state
are Baton's, and `workflow_get_next_step` gives one action that is ready to be carried out. A
run is named by its `workflow_id`, a step by its `id`; there are no tokens to keep. The runs are
those of every surface: `workflow_id` is the rail's `runId`, and a run started here can continue
there and vice versa. Names are also accepted with dots, as in `workflow.get_next_step`. A
bad call gets `isError`, a `code` ([errors](errors/README.md)) and a `message` that says
what to do, and it changes nothing.
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
  const EngineSource none = []() -> Result<engine::Engine*> {
    return fail(Code::INTERNAL, "there is no engine");
  };
  return surface::reference(opening, tools(none));
}

}  // namespace baton::surface::atomic
