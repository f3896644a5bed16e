#include "surface/rail/tools.h"

namespace baton::surface::rail {

std::vector<protocol::Tool> tools(const EngineSource& engine) {
  return {list_workflows(engine), start_workflow(engine), continue_workflow(engine),
          checkpoint_workflow(engine)};
}

}  // namespace baton::surface::rail
