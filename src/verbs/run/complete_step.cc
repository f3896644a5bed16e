#include "verbs/run/complete_step.h"

#include "base/text/text.h"
#include "engine/advance.h"
#include "engine/load/load.h"

namespace baton::verbs {
namespace {

engine::Submission submission_of(const engine::Principal& principal, const StepRequest& request) {
  return {.input = request.input,
          .source = {principal.name},
          .asked = request.asked,
          .client_asks = principal.client_asks};
}

const json::Value* on_resume(const engine::RunPoint& point, std::string_view key) {
  const json::Value* found = point.workflow->workflow.declared.find("on_resume");
  return found == nullptr ? nullptr : found->find(key);
}

bool is_set(const json::Value* value, bool otherwise) {
  return value == nullptr || value->if_bool() == nullptr ? otherwise : *value->if_bool();
}

Result<bool> failed_at(const engine::ReadContext& reading, const run::NodeRow& node) {
  for (const run::Event& event : TRY(load_events(reading, node.no.commit()))) {
    const auto* failed = std::get_if<run::StepFailed>(&event);
    if (failed != nullptr && failed->consequence == run::Consequence::fail) return true;
  }
  return false;
}

/// Where the step that failed was open, or the run's first point when its steps are all done again.
Result<run::NodeRow> point_to_reopen(const engine::ReadContext& reading,
                                     const engine::RunPoint& point) {
  const bool from_the_start = !is_set(on_resume(point, "skip_completed_steps"), true);
  run::NodeRow node = point.node;
  bool is_found = false;
  while (node.parent && (from_the_start || !is_found)) {
    is_found = !from_the_start && TRY(failed_at(reading, node));
    node = TRY(load_node(reading, *node.parent));
  }
  return node;
}

}  // namespace

Result<engine::NodeAnswer> complete_step(engine::Engine& engine, const engine::Principal& principal,
                                         const StepRequest& request) {
  const engine::ReadContext reading = engine.reading();
  const engine::RunPoint point = TRY(find_open_step(reading, principal, request.run));
  engine::Place place = TRY(place_of_step(reading, point, request.step));
  return advance(engine, principal, std::move(place), submission_of(principal, request),
                 request.wait);
}

Result<engine::NodeAnswer> checkpoint_step(engine::Engine& engine,
                                           const engine::Principal& principal,
                                           const StepRequest& request) {
  const engine::RunPoint point = TRY(find_open_step(engine.reading(), principal, request.run));
  const auto& pending = point.answer.reply.pending;
  if (!pending) {
    return fail(Code::INVALID_INPUT, "the run has ended; there is no progress to save",
                Move::start_run);
  }
  if (pending->step_id != request.step) {
    return fail(
        Code::NOT_FOUND,
        cat("the step \"", request.step, "\" is not open, but \"", pending->step_id, "\" is"),
        Move::send_open_step);
  }
  return checkpoint(engine, engine::place_of(*point.answer.reply.checkpoint, point.node),
                    submission_of(principal, request));
}

Result<engine::RunPoint> end_run(engine::Engine& engine, const engine::Principal& principal,
                                 std::string_view run, const std::optional<run::RunEnd>& end) {
  engine::RunPoint point = TRY(find_open_step(engine.reading(), principal, run));
  const auto& pending = point.answer.reply.pending;
  if (!pending) return point;
  if (!end) {
    return fail(Code::INVALID_INPUT,
                cat("the run is not done: the step \"", pending->step_id, "\" is open"),
                Move::complete_or_end);
  }
  engine::Submission submission{.input = {}, .source = {principal.name}};
  if (!end->reason.empty()) submission.input.notes = end->reason;
  submission.input.end = end;
  TRY(checkpoint(engine, engine::place_of(*point.answer.reply.checkpoint, point.node), submission));
  if (point.state->process != nullptr) engine.caches.running.forget(point.state->process->node);
  return find_open_step(engine.reading(), principal, run);
}

Result<std::optional<EndReason>> reopen_failed(engine::Engine& engine,
                                               const engine::Principal& principal,
                                               std::string_view run) {
  const engine::ReadContext reading = engine.reading();
  const engine::RunPoint point = TRY(find_open_step(reading, principal, run));
  const bool has_failed = point.state->run_state == run::RunState::failed &&
                          point.state->known().setbacks.error.has_value();
  if (!has_failed || !is_set(on_resume(point, "retry_failed_steps"), false)) return std::nullopt;
  std::optional<EndReason> why = TRY(why_ended(reading, point));
  const run::NodeRow node = TRY(point_to_reopen(reading, point));
  engine::Submission submission{.input = {}, .source = {principal.name}};
  submission.input.notes = "The run was reopened after it failed.";
  submission.input.end = run::RunEnd{run::RunState::running, "resumed",
                                     is_set(on_resume(point, "reset_error_counts"), false)};
  TRY(checkpoint(engine, TRY(checkpoint_place(reading, node)), submission));
  return why;
}

}  // namespace baton::verbs
