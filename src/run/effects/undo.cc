#include "run/effects/undo.h"

#include "base/text/text.h"
#include "run/walk/scope.h"
#include "workflow/text/shell_lexer.h"

namespace baton::run {
namespace {

std::unexpected<Error> refused(const EffectReceipt& receipt, std::string_view why,
                               std::string next) {
  return fail(Code::INVALID_INPUT,
              cat("the effect of the step \"", receipt.step, "\" at ", receipt.node.text(),
                  " is not undone: ", why, "; nothing was recorded"),
              std::move(next));
}

}  // namespace

Result<void> check_undo(const EffectReceipt& receipt, const workflow::Step* step) {
  if (receipt.by == EffectBy::agent || step == nullptr || !step->undo) {
    return refused(receipt, "its workflow has no command that undoes it",
                   "undo it by hand, and tell the agent of the run");
  }
  if (receipt.end && !receipt.may_hold() && receipt.undone == UndoOutcome::none) {
    return refused(receipt, "its command never started", "leave it: nothing was changed");
  }
  if (receipt.outcome == EffectOutcome::open) {
    return refused(receipt, "no result of its command is recorded",
                   "let the run continue until its result is recorded");
  }
  switch (receipt.undone) {
    case UndoOutcome::none:
    case UndoOutcome::failed: return {};
    case UndoOutcome::done:
      return refused(receipt, "it was undone already", "leave it: nothing is left of it");
    case UndoOutcome::open:
      return refused(receipt,
                     "an undo of it was begun and has no result yet: it is running, or the process "
                     "that ran it has ended, and Baton does not repeat it",
                     "look again in a while; if nothing has come of it then, look at what is left "
                     "of the effect, and undo that by hand");
    case UndoOutcome::unknown: break;
  }
  return refused(receipt,
                 "an undo of it was begun and its result is unknown, and Baton does not repeat it",
                 "look at what is left of it, and undo that by hand");
}

Known<UndoIntended> undo_command(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                                 const ProcessIntended& effect, Scripts& scripts) {
  const workflow::Step& step = *step_at(workflow, state.cursor);
  const workflow::LoweredShell lowered = workflow::lower_shell(*step.undo);
  UndoIntended out;
  out.run = effect.run;
  out.effect = effect.node;
  out.step = effect.step;
  out.argv = {"sh", "-c", lowered.command};
  out.directory = effect.directory;
  out.timeout_ms = effect.timeout_ms;
  const RunScope scope = scope_at(workflow, state);
  for (const workflow::ShellSlot& slot : lowered.slots) {
    auto value = scripts.text(slot.expression, scope);
    if (Error* error = value ? nullptr : value.error().if_error()) {
      error->message = cat("\"undo\" of the step \"", step.id, "\": ", error->message);
      return std::unexpected(std::move(value).error());
    }
    if (value) out.environment.emplace(slot.variable, *std::move(value));
  }
  TRY(scripts.settled());
  return out;
}

ProcessIntended as_process(const UndoIntended& undo) {
  ProcessIntended out;
  out.run = undo.run;
  out.node = undo.effect;
  out.step = undo.step;
  out.argv = undo.argv;
  out.directory = undo.directory;
  out.environment = undo.environment;
  out.timeout_ms = undo.timeout_ms;
  out.runner = undo.runner;
  return out;
}

UndoFinished noted(const UndoIntended& undo, const ProcessResult& result) {
  ProcessFinished same = noted(as_process(undo), ProcessReport{result});
  return {.run = undo.run,
          .number = undo.number,
          .end = same.end,
          .code = same.code,
          .output = std::move(same.output),
          .errors = std::move(same.errors)};
}

}  // namespace baton::run
