#pragma once
// The rail surface: workflows as a rail that an agent cannot leave. One step at a time, each with
// the token that acknowledges it.

#include <functional>
#include <vector>

#include "protocol/tool.h"
#include "verbs/engine.h"

namespace baton::surface::rail {

/// Gives the engine, opening what is not open yet: a server answers before it has touched a file.
/// Any thread; the same engine every time.
using EngineSource = std::function<Result<verbs::Engine*>()>;

/// The tools in the order they are listed.
std::vector<protocol::Tool> tools(const EngineSource& engine);

protocol::Tool list_workflows(const EngineSource& engine);
protocol::Tool inspect_workflow(const EngineSource& engine);
protocol::Tool start_workflow(const EngineSource& engine);
protocol::Tool continue_workflow(const EngineSource& engine);
protocol::Tool checkpoint_workflow(const EngineSource& engine);
protocol::Tool resume_session(const EngineSource& engine);

}  // namespace baton::surface::rail
