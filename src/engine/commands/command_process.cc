#include "engine/commands/command_process.h"

#include "run/steps/behaviour.h"
#include "run/walk/scope.h"

namespace baton::engine {

bool wants_sandbox(const workflow::CompiledWorkflow& workflow, const run::NodeState& state) {
  const workflow::Step* step = run::step_at(workflow, state.cursor);
  const auto asks = step == nullptr ? nullptr : run::behaviour_of(*step).wants_sandbox;
  return asks != nullptr && asks(*step);
}

ports::Process process_of(const Engine& engine, const run::ProcessIntended& intended,
                          const run::NodeState& state, bool wants_sandbox) {
  const ports::CommandSettings usual;
  const ports::CommandSettings& settings = engine.commands == nullptr ? usual : *engine.commands;
  ports::Process out{.argv = intended.argv,
                     .directory = intended.directory,
                     .environment = settings.environment,
                     .ms_max = intended.timeout_ms,
                     .delay_ms = intended.delay_ms,
                     .resources = settings.resources};
  // The step's own values win over those of the settings.
  for (const auto& [name, value] : intended.environment) out.environment[name] = value;
  // A step can ask for more than the owner does, never for less.
  if (settings.is_sandboxed || wants_sandbox) {
    // Without a workspace the server's own folder, which trust was judged for: where the step says
    // that it runs is the author's word, or the agent's.
    out.sandbox = {state.workspace.empty() ? "." : state.workspace, settings.writable};
  }
  return out;
}

}  // namespace baton::engine
