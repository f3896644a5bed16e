#include "verbs/may_run.h"

#include "run/commands.h"

namespace baton::verbs {

bool may_run(Engine& engine, const workflow::Pinned& workflow) {
  if (engine.trust == nullptr) return false;
  const std::string hash = workflow.hash.hex();
  auto has_commands = engine.caches.commands.find(hash);
  if (has_commands == nullptr) {
    has_commands = engine.caches.commands.put(hash, run::has_commands(workflow.workflow));
  }
  return *has_commands && engine.trust->is_trusted(workflow.hash).value_or(false);
}

std::string runner_of(Engine& engine, bool may_run) {
  return may_run && engine.processes != nullptr ? engine.processes->identity() : std::string();
}

}  // namespace baton::verbs
