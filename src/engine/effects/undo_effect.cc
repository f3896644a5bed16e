#include "engine/effects/undo_effect.h"

#include "base/core/effect_limits.h"
#include "base/text/text.h"
#include "engine/commands/command_permit.h"
#include "engine/commands/command_process.h"
#include "engine/effects/read_effects.h"
#include "engine/load/gate_words.h"
#include "engine/load/load.h"
#include "engine/record.h"
#include "run/effects/place_effect.h"
#include "run/effects/undo.h"
#include "run/log/owner_events.h"
#include "run/walk/scope.h"

namespace baton::engine {
namespace {

constexpr std::int64_t look_ms = 1'000;

/// The receipt that is meant, and how many undos the run has had.
struct Meant {
  run::EffectReceipt receipt;
  std::int64_t undos = 0;
};

std::unexpected<Error> none_of(const UndoRequest& request) {
  return fail(Code::NOT_FOUND,
              cat("the run has no effect of the step \"", request.step, '"',
                  request.effect ? cat(" at ", request.effect->text()) : std::string()),
              Move::show_effects);
}

Result<run::EffectReceipt> only_one(std::span<const run::EffectReceipt> all,
                                    const UndoRequest& request) {
  const run::EffectReceipt* last = nullptr;
  std::string several;
  std::size_t holding = 0;
  for (const run::EffectReceipt& each : all) {
    if (each.step != request.step) continue;
    const bool is_better = last == nullptr || each.may_hold() || !last->may_hold();
    if (is_better) last = &each;
    if (!each.may_hold()) continue;
    if (++holding <= limits::fork_commands_max) {
      several += cat(several.empty() ? "" : ", ", each.node.text());
    }
  }
  if (last == nullptr) return none_of(request);
  if (holding < 2) return *last;
  return fail(
      Code::INVALID_INPUT,
      cat("the run had ", holding, " effects of the step \"", request.step, "\" that may hold, at ",
          several, holding > limits::fork_commands_max ? ", ..." : "", "; nothing was recorded"),
      "name the node of the one that is meant");
}

Result<Meant> meant_by(const LoadContext& loading, const SessionId& session,
                       const UndoRequest& request) {
  Meant out;
  const HeldEffects held = TRY(read_effects(loading, session));
  out.undos = held->ledger.undos();
  if (!request.effect) {
    out.receipt = TRY(only_one(held->ledger.receipts(), request));
    return out;
  }
  const run::EffectReceipt* found = held->ledger.find(*request.effect, request.step);
  if (found == nullptr) return none_of(request);
  out.receipt = *found;
  return out;
}

/// What runs where the effect was intended.
struct Origin {
  std::shared_ptr<const run::NodeState> state;
  std::shared_ptr<const workflow::Pinned> pinned;
  const workflow::Step* step = nullptr;
};

Result<Origin> origin_of(const LoadContext& loading, const run::EffectReceipt& receipt) {
  Origin out;
  out.state = TRY(load_state(loading, TRY(load_node(loading, receipt.node))));
  out.pinned = TRY(load_workflow(loading, out.state->workflow_hash));
  out.step = run::step_at(out.pinned->workflow, out.state->cursor);
  return out;
}

/// What is run, with its values.
Result<run::UndoIntended> filled(Engine& engine, const Origin& at) {
  const auto schemas = TRY(load_schemas(engine.reading(), at.state->workflow_hash));
  const run::FreshInputs drawn = draw(engine).drawn;
  state::ScriptAnswers answers;
  while (true) {
    run::Scripts scripts(answers, run::draw_of_act(drawn, 0), schemas.get());
    auto undo = run::undo_command(at.pinned->workflow, *at.state, *at.state->process, scripts);
    if (!state::is_not_yet(undo)) return state::settled(std::move(undo));
    answers.supply(TRY(
        evaluate(engine, {at.state->workflow_hash.hex(), at.state->run.text()}, answers.asked())));
  }
}

/// Only what the owner trusts is run, as for every command of the run.
Result<std::string> runner_of(Engine& engine, const Origin& at) {
  const Permit permit(engine, *at.pinned, at.state->workspace);
  if (!permit.runner().empty()) return permit.runner();
  return fail(
      Code::INVALID_INPUT,
      cat("the server may not run the commands of the workflow \"", at.state->workflow_id, '"',
          permit.reason().empty() ? "" : cat(": ", permit.reason()), "; nothing was recorded"),
      Move::trust_commands);
}

run::ProcessResult run_to_end(Engine& engine, const Origin& at, const run::UndoIntended& undo) {
  ports::Process process = process_of(engine, run::as_process(undo), *at.state,
                                      wants_sandbox(at.pinned->workflow, *at.state));
  process.why_not = [judge = CommandJudge(engine, *at.pinned, at.state->workspace),
                     argv = undo.argv, directory = undo.directory] {
    const ports::TrustVerdict verdict = judge.judge(argv, directory);
    if (verdict.is_trusted) return std::string();
    return verdict.reason.empty() ? "the workflow is no longer trusted" : verdict.reason;
  };
  const auto running = engine.processes->start(std::move(process));
  while (true) {
    if (auto result = running->wait(look_ms)) return *std::move(result);
  }
}

template <class Word>
Result<bool> append(Engine& engine, const run::RunRow& run, const Word& word) {
  const auto outcome = TRY(engine.store.append(
      {run.session, run::owner_key(word), engine.clock.wall(), {run::Event(word)}}));
  return std::holds_alternative<ports::Appended>(outcome);
}

/// That an undo is about to run. Its key is taken when another process began one first: then
/// everything is looked at again.
Result<run::UndoIntended> intend(Engine& engine, const run::RunRow& run, const UndoRequest& request,
                                 Origin& at) {
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    const Meant meant = TRY(meant_by(engine.reading(), run.session, request));
    at = TRY(origin_of(engine.reading(), meant.receipt));
    const bool is_servers = meant.receipt.by == run::EffectBy::server;
    TRY(run::check_undo(meant.receipt, is_servers ? at.step : nullptr));
    if (meant.undos >= limits::undos_per_run_max) {
      return fail(
          Code::LIMIT_EXCEEDED,
          cat("the run has had ", limits::undos_per_run_max, " undos; no more are recorded"),
          "undo it by hand");
    }
    const std::string runner = TRY(runner_of(engine, at));
    run::UndoIntended undo = TRY(filled(engine, at));
    undo.number = meant.undos + 1;
    undo.runner = runner;
    undo.source = request.source;
    if (TRY(append(engine, run, undo))) return undo;
  }
  Error busy = Error::make(Code::TOKEN_SESSION_LOCKED,
                           "other calls changed this run first, each time; nothing was recorded",
                           "send the same call again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

}  // namespace

Result<Undone> undo_effect(Engine& engine, const run::RunRow& run, const UndoRequest& request) {
  Origin at;
  Undone out;
  out.intended = TRY(intend(engine, run, request, at));
  out.finished = run::noted(out.intended, run_to_end(engine, at, out.intended));
  TRY(append(engine, run, out.finished));
  return out;
}

Result<bool> undo_as_chosen(Engine& engine, const run::NodeState& state,
                            const std::optional<run::GateWord>& asked) {
  const run::Gate* gate = state.gate.get();
  if (gate == nullptr || gate->kind != run::GateKind::effect) return false;
  GateWords words = TRY(gate_words(engine.reading(), state, *gate));
  if (asked) words.counted.push_back(*asked);
  const run::GateVerdict said = words.verdict(*gate);
  if (said.word == nullptr) return false;
  const auto effect = run::undo_asked_by(*gate, *said.word);
  if (!effect) return false;
  {
    const HeldEffects held = TRY(read_effects(engine.reading(), state.session));
    const run::EffectReceipt* found = held->ledger.find(*effect, gate->step);
    if (found == nullptr || found->undone != run::UndoOutcome::none) return false;
  }
  const auto run = TRY(engine.store.run(state.run));
  if (!run) return false;
  TRY(undo_effect(engine, *run, {gate->step, effect, said.word->source}));
  return true;
}

}  // namespace baton::engine
