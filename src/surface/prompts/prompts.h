#pragma once
// Prompts, which clients show as slash commands: `workflow` to find, start and resume runs, and
// `sub_agent` for the sub-agent that carries out one task of a run.

#include "protocol/features/prompt.h"
#include "surface/arguments.h"

namespace baton::surface::prompts {

/// Whose tools an agent is told to use.
enum class Tools : std::uint8_t { rail, atomic };

/// `workflow`, with the arguments action, name and inputs, each with completions.
protocol::Prompt workflow_prompt(const EngineSource& engine, Tools tools);

/// `sub_agent`, with the arguments task_id and workflow_id, each with completions.
protocol::Prompt sub_agent_prompt(const EngineSource& engine);

}  // namespace baton::surface::prompts
