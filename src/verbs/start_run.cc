#include "verbs/start_run.h"

#include "base/text.h"
#include "verbs/find_workflow.h"
#include "verbs/record.h"

namespace baton::verbs {

Result<SignedReply> start_run(Engine& engine, const Principal& principal,
                              const StartRequest& request) {
  const Reading reading = engine.reading();
  const workflow::Pinned pinned = TRY(find_workflow(engine.workflows, request.workflow_id));
  run::Decider decider = run::Decider::start({.workflow = &pinned,
                                              .goal = request.goal,
                                              .context = request.context,
                                              .preferences = request.preferences,
                                              .minting = TRY(rail_minting(reading))});
  run::Decided decided = TRY(decide(engine, decider));
  auto recorded = TRY(record(engine, std::move(decided), run::Seq{0}, pinned.text));
  // A fresh session id has no log and no keys, so nobody else can have moved or taken them.
  ASSERT(recorded.has_value());
  engine.caches.workflows.put(pinned.hash.hex(), pinned);
  return sign_reply(reading, principal, std::move(recorded->reply), recorded->node);
}

}  // namespace baton::verbs
