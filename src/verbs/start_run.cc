#include "verbs/start_run.h"

#include "base/text.h"
#include "verbs/find_workflow.h"
#include "verbs/record.h"

namespace baton::verbs {

Result<SignedReply> start_run(Engine& engine, const Principal& principal,
                              const StartRequest& request) {
  const Reading reading = engine.reading();
  const workflow::Pinned pinned = TRY(find_workflow(engine.workflows, request.workflow_id));
  const run::StartCommand command{.workflow = &pinned,
                                  .goal = request.goal,
                                  .workspace_path = request.workspace_path,
                                  .context = request.context,
                                  .preferences = request.preferences,
                                  .minting = TRY(rail_minting(reading))};
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    run::Decider decider = run::Decider::start(command);
    run::Decided decided = TRY(decide(engine, decider));
    // Nobody else knows the session yet, unless entropy repeats itself; then other ids are drawn.
    auto recorded = TRY(record(engine, std::move(decided), run::Seq{0}, pinned.text));
    if (!recorded) continue;
    engine.caches.workflows.put(pinned.hash.hex(), pinned);
    return sign_reply(reading, principal, std::move(recorded->reply), recorded->node);
  }
  Error busy = Error::make(Code::TOKEN_SESSION_LOCKED,
                           "every session id that was drawn is taken; nothing was recorded",
                           "send the same call again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

}  // namespace baton::verbs
