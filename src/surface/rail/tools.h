#pragma once
// The rail surface: workflows as a rail that an agent cannot leave. One step at a time, each with
// the token that acknowledges it.

#include <vector>

#include "protocol/tool.h"
#include "verbs/engine.h"

namespace baton::surface::rail {

/// The tools in the order they are listed. `engine` must outlive them.
std::vector<protocol::Tool> tools(verbs::Engine& engine);

protocol::Tool list_workflows(verbs::Engine& engine);
protocol::Tool start_workflow(verbs::Engine& engine);
protocol::Tool continue_workflow(verbs::Engine& engine);
protocol::Tool checkpoint_workflow(verbs::Engine& engine);

}  // namespace baton::surface::rail
