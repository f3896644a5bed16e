#include "engine/commands/command_status.h"

#include "engine/load/load.h"
#include "engine/load/owner_words.h"
#include "run/walk/scope.h"

namespace baton::engine {

bool is_lost(const ReadContext& reading, const run::ProcessIntended& intended,
             const run::NodeRow& node) {
  const std::int64_t longest =
      intended.delay_ms + intended.timeout_ms + limits::process_kill_ms_max;
  if (reading.clock.wall().value - node.created.value > longest) return true;
  if (reading.processes == nullptr) return false;
  if (intended.runner == reading.processes->identity()) return true;
  return !reading.processes->is_alive(intended.runner).value_or(true);
}

Result<std::optional<run::CommandStatus>> command_status(const ReadContext& reading,
                                                         const run::NodeState& state) {
  if (state.process == nullptr) return std::nullopt;
  const run::ProcessIntended& intended = *state.process;
  if (reading.caches.running.is_started(intended.node)) return run::CommandStatus::running;
  if (reading.caches.running.has(intended.node)) {
    return TRY(hold_at(reading, state)) ? run::CommandStatus::held : run::CommandStatus::running;
  }
  // A runner records the result of a command before it releases it. So the record is read last.
  const run::NodeRow node = TRY(load_node(reading, intended.node));
  // The runner looks for a hold after it recorded the intent, so it did not start the command.
  const bool is_held = TRY(was_held_before(reading, state, node.no.commit()));
  const bool is_lost_now = is_lost(reading, intended, node);
  if (TRY(reading.store.attempt(node.no, run::AttemptKey{}))) return run::CommandStatus::ended;
  if (is_held) return run::CommandStatus::held;
  return is_lost_now ? run::CommandStatus::unknown : run::CommandStatus::running;
}

Result<void> add_command_status(const ReadContext& reading,
                                const workflow::CompiledWorkflow& workflow,
                                const run::NodeState& state, run::Reply& reply) {
  const auto status = TRY(command_status(reading, state));
  if (!status || !reply.pending) return {};
  reply.pending =
      run::pending_command(*run::step_at(workflow, state.cursor), *state.process, *status);
  return {};
}

}  // namespace baton::engine
