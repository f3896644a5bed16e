#include "verbs/complete_step.h"

#include "base/text.h"
#include "verbs/advance.h"

namespace baton::verbs {

Result<SignedReply> complete_step(Engine& engine, const Principal& principal,
                                  const StepRequest& request) {
  const Reading reading = engine.reading();
  const RunPoint point = TRY(find_open_step(reading, principal, request.run));
  return advance(engine, principal,
                 {.token = TRY(ack_token_of(reading, principal, point, request.step)),
                  .state_token = {},
                  .input = request.input});
}

Result<SignedReply> checkpoint_step(Engine& engine, const Principal& principal,
                                    const StepRequest& request) {
  const RunPoint point = TRY(find_open_step(engine.reading(), principal, request.run));
  const auto& pending = point.reply.reply.pending;
  if (!pending) {
    return fail(Code::INVALID_INPUT, "the run is over; there is no progress left to save",
                "workflow_start begins a new run");
  }
  if (pending->step_id != request.step) {
    return fail(
        Code::NOT_FOUND,
        cat("the step \"", request.step, "\" is not open; open is \"", pending->step_id, '"'),
        "send the id of the open step");
  }
  return checkpoint(
      engine, principal,
      {.token = *point.reply.checkpoint_token, .state_token = {}, .input = request.input});
}

Result<RunPoint> end_run(Engine& engine, const Principal& principal, std::string_view run,
                         const std::optional<run::End>& end) {
  RunPoint point = TRY(find_open_step(engine.reading(), principal, run));
  const auto& pending = point.reply.reply.pending;
  if (!pending) return point;
  if (!end) {
    return fail(Code::INVALID_INPUT,
                cat("the run is not done: the step \"", pending->step_id, "\" is open"),
                "do the step and call workflow_step_complete, or send the status failed or "
                "cancelled to give the run up");
  }
  run::Input input;
  if (!end->reason.empty()) input.notes = end->reason;
  input.end = end;
  TRY(checkpoint(engine, principal,
                 {.token = *point.reply.checkpoint_token, .state_token = {}, .input = input}));
  return find_open_step(engine.reading(), principal, run);
}

}  // namespace baton::verbs
