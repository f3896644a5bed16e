#include "surface/rail/tools.h"

#include "surface/reference.h"

namespace baton::surface::rail {
namespace {

constexpr std::string_view opening = R"(# The rail's tools

Made from the tools' own tables; `BATON_REBASELINE=1 build/dev/tests/verbs/verbs_contract_test
--gtest_filter='rail_reference.*'` rewrites it.

A run is driven by three tokens, which every answer contains: the `ackToken` settles the pending
step, the `stateToken` returns the same node at any time, the `checkpointToken` saves progress
within the step. Each can be sent again safely: Baton returns the recorded answer. `nextCall` is
the next call; its `missing` names what you fill in. A bad call gets `isError`, a `code`
([errors](errors/README.md)) and a `message` that says what to do; it changes nothing. Long results
come in pages: send `nextCursor` as `cursor`.
)";

}  // namespace

std::vector<protocol::Tool> tools(const EngineSource& engine) {
  return {list_workflows(engine),    inspect_workflow(engine),    start_workflow(engine),
          continue_workflow(engine), checkpoint_workflow(engine), resume_session(engine)};
}

std::string reference() {
  const EngineSource none = []() -> Result<engine::Engine*> {
    return fail(Code::INTERNAL, "there is no engine");
  };
  return surface::reference(opening, tools(none));
}

}  // namespace baton::surface::rail
