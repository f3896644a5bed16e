#include "engine/load/find_open_step.h"

#include "base/text/text.h"
#include "engine/load/find_run.h"
#include "engine/load/load.h"
#include "engine/revocation.h"
#include "run/walk/scope.h"

namespace baton::engine {
namespace {

std::unexpected<Error> no_run(std::string_view id) {
  return fail(Code::NOT_FOUND, cat("there is no run ", id), Move::send_run_id);
}

/// Who started a run: the local user unless it was noted otherwise.
Result<std::string> owner_of(const ReadContext& reading, const run::RunRow& run) {
  const std::string id = run.run.text();
  if (const auto cached = reading.caches.owners.find(id)) return *cached;
  std::string owner = Principal{}.name;
  for (const run::ObservationRecorded& seen : TRY(observations(reading.store, run))) {
    if (seen.key == run::ObservationKey::principal) owner = seen.value;
  }
  return *reading.caches.owners.put(id, std::move(owner));
}

std::unexpected<Error> not_open(const RunPoint& point, std::string_view key) {
  const run::Reply& reply = point.answer.reply;
  const bool is_over = !reply.pending;
  const bool is_ended =
      reply.status == run::RunStatus::failed || reply.status == run::RunStatus::abandoned;
  return fail(Code::NOT_FOUND,
              cat("the step \"", key, "\" is not open and was not done in this run; ",
                  is_over ? std::string("no step is open")
                          : cat("the open step is \"", reply.pending->step_id, '"')),
              is_ended  ? Move::start_run
              : is_over ? Move::end_run
                        : Move::send_open_step);
}

/// The attempt that made `node`.
Result<run::AdvanceRecorded> attempt_behind(const ReadContext& reading, const run::NodeRow& node) {
  for (const run::Event& event : TRY(load_events(reading, node.no.commit()))) {
    const auto* record = std::get_if<run::AdvanceRecorded>(&event);
    if (record != nullptr && record->to == node.id) return *record;
  }
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("the log does not say how ", node.id.text(), " came"));
}

}  // namespace

const workflow::Step* RunPoint::step() const {
  return state->open_steps.empty() ? nullptr : run::step_at(workflow->workflow, state->cursor);
}

Result<run::RunRow> find_own_run(const ReadContext& reading, const Principal& principal,
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

Result<RunPoint> find_open_step(const ReadContext& reading, const Principal& principal,
                                std::string_view run, RecoveryDetail around) {
  RunPoint point;
  point.run = TRY(find_own_run(reading, principal, run));
  point.node = TRY(load_node(reading, point.run.tip));
  if (TRY(is_revoked(reading, point.node))) return tokens_are_revoked();
  point.answer = TRY(look_at(reading, point.node, around));
  point.state = TRY(load_state(reading, point.node));
  point.workflow = TRY(load_workflow(reading, point.run.workflow_hash));
  return point;
}

Result<Place> place_of_step(const ReadContext& reading, const RunPoint& point,
                            std::string_view key) {
  const run::Reply& reply = point.answer.reply;
  if (reply.pending && reply.pending->step_id == key) return place_of(*reply.ack, point.node);
  run::NodeRow node = point.node;
  for (std::size_t looked = 0; node.settled_step != key; ++looked) {
    if (!node.parent || looked == limits::recap_walk_nodes_max) return not_open(point, key);
    node = TRY(load_parent(reading, node));
  }
  const run::AdvanceRecorded record = TRY(attempt_behind(reading, node));
  Place place{.node = TRY(load_node(reading, record.node)), .attempt = record.attempt, .step = {}};
  if (record.attempt.ordinal >= place.node.open_steps.size()) return not_open(point, key);
  place.step = place.node.open_steps[record.attempt.ordinal];
  return place;
}

}  // namespace baton::engine
