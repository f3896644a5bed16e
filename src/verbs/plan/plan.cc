#include "verbs/plan/plan.h"

#include "base/core/limits.h"
#include "plan/stage.h"

namespace baton::verbs {
namespace {

using Edit = std::function<Result<plan::Edited>(std::string_view text)>;

Result<PlanChange> change(const Planner& planner, const Edit& edit) {
  for (int tries = 0; tries < limits::plan_write_tries_max; ++tries) {
    const ports::Description before = TRY(planner.version_control.read());
    plan::Edited edited = TRY(edit(before.text));
    std::string text = TRY(plan::checked_text(edited.document, planner.config));
    const bool same = text == before.text;
    if (!same && TRY(planner.version_control.replace(before, text)) != ports::Replaced::yes) {
      continue;
    }
    const int stage = plan::stage_of(plan::parse(before.text, planner.config).document);
    return PlanChange{
        .after = {before.place,
                  std::move(text),
                  {.state = plan::State::parsed, .document = std::move(edited.document)}},
        .stage_before = stage,
        .notes = std::move(edited.notes)};
  }
  return std::unexpected(
      Error::make(Code::PLAN_BUSY, "other processes changed the plan before each write")
          .with_retry_after(limits::retry_after_ms));
}

}  // namespace

Result<PlanChange> change_plan(const Planner& planner, const PlanEdit& edit) {
  return change(planner, [&](std::string_view text) -> Result<plan::Edited> {
    return edit(TRY(plan::editable(text, planner.config)));
  });
}

Result<PlanView> show_plan(const Planner& planner) {
  ports::Description read = TRY(planner.version_control.read());
  plan::Parsed parsed = plan::parse(read.text, planner.config);
  return PlanView{std::move(read.place), std::move(read.text), std::move(parsed)};
}

Result<Requirements> gather_requirements(const Planner& planner) {
  PlanView view = TRY(show_plan(planner));
  auto changed = TRY(planner.version_control.changed_files());
  return Requirements{std::move(view), std::move(changed)};
}

Result<PlanChange> set_goal(const Planner& planner, const plan::Header& header) {
  return change(
      planner, [&](std::string_view text) { return plan::set_goal(text, header, planner.config); });
}

Result<PlanChange> set_details(const Planner& planner, std::string_view description,
                               const std::optional<std::vector<plan::Constraint>>& constraints) {
  return change_plan(planner, [&](const plan::Plan& document) {
    return plan::set_details(document, description, constraints, planner.config);
  });
}

Result<PlanChange> set_tasks(const Planner& planner, const std::vector<plan::PlanTask>& tasks) {
  return change_plan(planner,
                     [&](const plan::Plan& document) { return plan::set_tasks(document, tasks); });
}

Result<PlanChange> mark_task(const Planner& planner, std::string_view task_id, bool done) {
  return change_plan(planner, [&](const plan::Plan& document) {
    return plan::mark_task(document, task_id, done);
  });
}

Result<PlanChange> finish_job(const Planner& planner) {
  return change_plan(planner, [](const plan::Plan& document) { return plan::finish(document); });
}

}  // namespace baton::verbs
