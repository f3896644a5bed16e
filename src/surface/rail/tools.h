#pragma once
// The rail surface: workflows as a rail that an agent cannot leave. One step at a time, each with
// the token that acknowledges it.

#include <vector>

#include "surface/arguments.h"

namespace baton::surface::rail {

/// The tools in the order they are listed.
std::vector<protocol::Tool> tools(const EngineSource& engine);

/// docs/rail.md.
std::string reference();

protocol::Tool list_workflows(const EngineSource& engine);
protocol::Tool inspect_workflow(const EngineSource& engine);
protocol::Tool start_workflow(const EngineSource& engine);
protocol::Tool continue_workflow(const EngineSource& engine);
protocol::Tool checkpoint_workflow(const EngineSource& engine);
protocol::Tool resume_session(const EngineSource& engine);

}  // namespace baton::surface::rail
