#pragma once
// The atomic surface: a workflow as single actions that an agent carries out without deciding
// anything. Runs are named by `workflow_id`, which is the run's id, and steps by their keys; the
// tokens of other surfaces are found for the caller.

#include <vector>

#include "surface/arguments.h"

namespace baton::surface::atomic {

/// The tools in the order they are listed.
std::vector<protocol::Tool> tools(const EngineSource& engine);

/// docs/atomic.md.
std::string reference();

protocol::Tool workflow_list(const EngineSource& engine);
protocol::Tool workflow_get_info(const EngineSource& engine);
protocol::Tool workflow_load_definition(const EngineSource& engine);
protocol::Tool workflow_explain_plan(const EngineSource& engine);
protocol::Tool workflow_start(const EngineSource& engine);
protocol::Tool workflow_get_next_step(const EngineSource& engine);
protocol::Tool workflow_step_complete(const EngineSource& engine);
protocol::Tool workflow_checkpoint(const EngineSource& engine);
protocol::Tool workflow_resume(const EngineSource& engine);
protocol::Tool workflow_complete(const EngineSource& engine);
protocol::Tool workflow_state_read(const EngineSource& engine);
protocol::Tool workflow_state_update(const EngineSource& engine);
protocol::Tool workflow_state_dependencies(const EngineSource& engine);
protocol::Tool workflow_trace_transformations(const EngineSource& engine);
protocol::Tool workflow_debug_info(const EngineSource& engine);
protocol::Tool workflow_test_transformation(const EngineSource& engine);

}  // namespace baton::surface::atomic
