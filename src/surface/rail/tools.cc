#include "surface/rail/tools.h"

namespace baton::surface::rail {

std::vector<protocol::Tool> tools(const EngineSource& engine) {
  return {list_workflows(engine),    inspect_workflow(engine),    start_workflow(engine),
          continue_workflow(engine), checkpoint_workflow(engine), resume_session(engine)};
}

}  // namespace baton::surface::rail
