#pragma once
// Prompts, which clients show as slash commands: `workflow` to find, start and resume runs, and
// `sub_agent` for the sub-agent that carries out one task of a run.

#include <string_view>

#include "protocol/features/prompt.h"
#include "surface/arguments.h"

namespace baton::surface::prompts {

/// What an agent is told to do, in the names of one surface's tools.
struct PromptWords {
  std::string_view look;      // at a workflow
  std::string_view begin;     // a run
  std::string_view get_back;  // to a run
  std::string_view look_in;   // at a run, without changing it
  std::string_view drive;     // the rest of a run
};

/// `workflow`, with the arguments action, name and inputs, each with completions.
protocol::Prompt workflow_prompt(const EngineSource& engine, const PromptWords& words);

/// `sub_agent`, with the arguments task_id and workflow_id, each with completions.
protocol::Prompt sub_agent_prompt(const EngineSource& engine);

}  // namespace baton::surface::prompts
