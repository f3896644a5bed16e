#include "verbs/find_open_step.h"

#include "base/text.h"
#include "run/scope.h"
#include "verbs/history.h"
#include "verbs/load.h"

namespace baton::verbs {
namespace {

std::unexpected<Error> no_run(std::string_view id) {
  return fail(Code::NOT_FOUND, cat("there is no run ", id),
              "send the workflow_id that workflow_start gave");
}

/// Who started a run: the local user unless it was noted otherwise.
Result<std::string> owner_of(const Reading& reading, const run::RunRow& run) {
  const std::string id = run.run.text();
  if (const auto cached = reading.caches.owners.find(id)) return *cached;
  std::string owner = Principal{}.name;
  for (const run::ObservationRecorded& seen : TRY(observations(reading.store, run))) {
    if (seen.key == run::ObservationKey::principal) owner = seen.value;
  }
  return *reading.caches.owners.put(id, std::move(owner));
}

std::unexpected<Error> not_open(const RunPoint& point, std::string_view key) {
  const bool is_over = !point.reply.reply.pending;
  return fail(Code::NOT_FOUND,
              cat("the step \"", key, "\" is neither open nor was it done in this run; ",
                  is_over ? std::string("no step is open")
                          : cat("open is \"", point.reply.reply.pending->step_id, '"')),
              is_over ? "workflow_complete ends the run"
                      : "send the id of the step that workflow_get_next_step gave");
}

/// The attempt that made `node`.
Result<run::AdvanceRecorded> attempt_behind(const Reading& reading, const run::NodeRow& node) {
  for (const run::Event& event : TRY(load_events(reading, node.no.commit()))) {
    const auto* record = std::get_if<run::AdvanceRecorded>(&event);
    if (record != nullptr && record->to == node.id) return *record;
  }
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("nothing is recorded of how ", node.id.text(), " came"));
}

}  // namespace

const workflow::Step* RunPoint::step() const {
  return state->open_steps.empty() ? nullptr : run::step_at(workflow->workflow, state->cursor);
}

Result<run::RunRow> find_own_run(const Reading& reading, const Principal& principal,
                                 std::string_view id) {
  auto run = find_run(reading.store, id);
  if (!run) {
    const Code code = run.error().code;
    const bool is_no_run = code == Code::NOT_FOUND || code == Code::INVALID_ID;
    return is_no_run ? no_run(id) : std::unexpected(run.error());
  }
  if (TRY(owner_of(reading, *run)) != principal.name) return no_run(id);
  return run;
}

Result<RunPoint> find_open_step(const Reading& reading, const Principal& principal,
                                std::string_view run, Around around) {
  RunPoint point;
  point.run = TRY(find_own_run(reading, principal, run));
  point.node = TRY(load_node(reading, point.run.tip));
  const std::uint8_t key_slot = TRY(reading.signer.current_slot());
  const run::TokenClaim claim{
      .kind = run::TokenKind::state, .node = point.node.id, .key_slot = key_slot};
  const std::string token = TRY(sign_claim(reading, principal, claim, point.node));
  point.reply = TRY(rehydrate(reading, principal, token, around));
  point.state = TRY(load_state(reading, point.node));
  point.workflow = TRY(load_workflow(reading, point.run.workflow_hash));
  return point;
}

Result<std::string> ack_token_of(const Reading& reading, const Principal& principal,
                                 const RunPoint& point, std::string_view key) {
  if (point.reply.reply.pending && point.reply.reply.pending->step_id == key) {
    return *point.reply.ack_token;
  }
  run::NodeRow node = point.node;
  for (std::size_t looked = 0; node.settled_step != key; ++looked) {
    if (!node.parent || looked == limits::recap_walk_nodes_max) return not_open(point, key);
    node = TRY(load_parent(reading, node));
  }
  const run::AdvanceRecorded record = TRY(attempt_behind(reading, node));
  const std::uint8_t key_slot = TRY(reading.signer.current_slot());
  const run::TokenClaim claim{.kind = run::TokenKind::ack,
                              .node = record.node,
                              .ordinal = record.attempt.ordinal,
                              .count = record.attempt.count,
                              .key_slot = key_slot};
  return sign_claim(reading, principal, claim, TRY(load_node(reading, record.node)));
}

}  // namespace baton::verbs
