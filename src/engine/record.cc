#include "engine/record.h"

#include <algorithm>

#include "engine/effects/read_effects.h"

namespace baton::engine {

/// The time of a batch is shared out among its scripts: each on its own would take longer.
Result<std::vector<state::ScriptAnswer>> evaluate(Engine& engine, const ports::ScriptQueueKey& turn,
                                                  std::span<const state::Evaluation> evaluations) {
  std::vector<state::ScriptAnswer> out;
  if (engine.scripts == nullptr) {
    const state::ScriptProblem none{
        state::ScriptFault::unavailable, "this engine has no sandbox for scripts", {}, 0, 0};
    out.assign(evaluations.size(), state::ScriptAnswer{std::unexpected(none), 0});
    return out;
  }
  const std::int64_t begun_us = engine.clock.mono_us();
  std::vector<state::ScriptResult> results = engine.scripts->evaluate(evaluations, turn);
  const std::int64_t elapsed_us = engine.clock.mono_us() - begun_us;
  const auto count = static_cast<std::int64_t>(evaluations.size());
  for (state::ScriptResult& each : results) {
    // Nothing is wrong with the script, so nothing may be decided by this.
    if (!each && each.error().fault == state::ScriptFault::busy) {
      return std::unexpected(Error::make(Code::SCRIPT_BUSY, each.error().message, each.error().hint)
                                 .with_retry_after(limits::retry_after_ms));
    }
    out.push_back({std::move(each), elapsed_us / count});
  }
  return out;
}

namespace {

/// Sees nothing where there is no reader of evidence.
std::vector<run::ProbeResult> look(Engine& engine, const run::NeedProbes& need,
                                   const Permit& permit) {
  if (engine.evidence == nullptr) return std::vector<run::ProbeResult>(need.looks.size());
  const auto judge = [&](const std::vector<std::string>& argv) {
    if (!need.may_run) return ports::TrustVerdict{false, permit.reason()};
    return permit.commands().judge(argv, need.workspace);
  };
  return engine.evidence->look(need.workspace, need.looks, ports::Commands(judge));
}

/// Whether the commit records the result of a command, its own or one that was taken from another
/// branch, which is recorded for a held run too.
bool has_command_result(std::span<const run::Event> events) {
  return std::ranges::any_of(events, [](const run::Event& event) {
    return std::holds_alternative<run::ProcessFinished>(event) ||
           std::holds_alternative<run::EffectReused>(event);
  });
}

}  // namespace

Result<run::Decided> decide(Engine& engine, run::Decider& decider, const Permit& permit,
                            const ScriptsOf& whose, ProbeMode looking) {
  return TRY(decide_or_reject(engine, decider, permit, whose, looking));
}

Result<Result<run::Decided>> decide_or_reject(Engine& engine, run::Decider& decider,
                                              const Permit& permit, const ScriptsOf& whose,
                                              ProbeMode looking) {
  std::optional<RunId> run = whose.run;
  while (true) {
    auto asked = decider.next();
    if (!asked) return Result<run::Decided>(std::unexpected(std::move(asked).error()));
    auto& next = *asked;
    if (auto* decided = std::get_if<run::Decided>(&next)) {
      return Result<run::Decided>(std::move(*decided));
    }
    if (const auto* need = std::get_if<run::NeedAnswers>(&next)) {
      const ports::ScriptQueueKey turn{whose.workflow.hex(), run ? run->text() : std::string()};
      decider.supply(TRY(evaluate(engine, turn, need->evaluations)));
    } else if (const auto* looks = std::get_if<run::NeedProbes>(&next)) {
      if (looking == ProbeMode::refused) return fail(Code::INTERNAL, "no evidence reader");
      decider.supply(look(engine, *looks, permit));
    } else if (const auto* effects = std::get_if<run::NeedEffects>(&next)) {
      std::vector<run::EffectReceipt> found;
      if (whose.below != nullptr) {
        found = TRY(effects_elsewhere(engine.reading(), *whose.below, effects->step));
      } else if (whose.task != nullptr) {
        found = TRY(effects_of_same_task(engine.reading(), *whose.task, effects->step));
      }
      decider.supply(std::move(found));
    } else {
      const run::FreshValues drawn = draw(engine);
      if (!run) run = drawn.run;
      decider.supply(drawn);
    }
  }
}

Result<std::optional<Recorded>> record(Engine& engine, run::Decided decided, run::Seq expected) {
  decided.commit.expected = expected;
  const bool may_be_held = has_command_result(decided.commit.events);
  const auto& process = decided.state.process;
  const bool intends = process != nullptr && process->node == decided.state.node;
  if (intends) engine.caches.running.promise(process->node);
  auto outcome = TRY(engine.store.append(std::move(decided.commit)));
  auto* appended = std::get_if<ports::Appended>(&outcome);
  if (appended == nullptr) {
    if (intends) engine.caches.running.forget(process->node);
    return std::nullopt;
  }
  ASSERT(appended->nodes.size() == 1);
  run::NodeRow& node = appended->nodes.front();
  // An attempt at a tip reads nothing; one that has guidance to deliver, or a hold to notice that
  // the commit went past, must.
  if (!decided.leaves_guidance && !may_be_held) {
    engine.caches.tips.put(node.no.value, {node, appended->commit.seq});
  }
  engine.caches.states.put(node.no.value, std::move(decided.state));
  return Recorded{std::move(decided.reply), std::move(node)};
}

}  // namespace baton::engine
