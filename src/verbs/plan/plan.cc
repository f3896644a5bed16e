#include "verbs/plan/plan.h"

#include "base/core/limits.h"
#include "base/text/text.h"
#include "plan/stage.h"

namespace baton::verbs {

PlanView view_of(std::string place, std::string_view text, const plan::PlanConfig& config) {
  return {std::move(place), plan::parse(text, config), plan::outline_of(text, config)};
}

Result<PlanChange> change_plan(const Planner& planner, const PlanEdit& edit,
                               std::string_view version) {
  std::unique_ptr<ports::PlanTurn> turn;
  if (planner.turns != nullptr) turn = TRY(planner.turns->take_turn());
  for (int tries = 0; tries < limits::plan_write_tries_max; ++tries) {
    const ports::Description before = TRY(planner.version_control.read());
    const std::string now = plan::version_of(before.text);
    if (!version.empty() && version != now) {
      return fail(Code::INVALID_INPUT,
                  cat("the plan was changed since version ", version, "; it is version ", now),
                  "look at the plan again, and send the change made from what is there now");
    }
    const plan::Outline outline = plan::outline_of(before.text, planner.config);
    plan::Edited edited = TRY(edit(outline));
    const bool same = edited.text == before.text;
    if (!same &&
        TRY(planner.version_control.replace(before, edited.text)) != ports::Replaced::yes) {
      continue;
    }
    return PlanChange{.after = view_of(before.place, edited.text, planner.config),
                      .stage_before = plan::stage_of(outline.document),
                      .notes = std::move(edited.notes)};
  }
  return std::unexpected(
      Error::make(Code::PLAN_BUSY, "other processes changed the plan before each write")
          .with_retry_after(limits::retry_after_ms));
}

Result<PlanView> show_plan(const Planner& planner) {
  ports::Description read = TRY(planner.version_control.read());
  return view_of(std::move(read.place), read.text, planner.config);
}

Result<Requirements> gather_requirements(const Planner& planner) {
  PlanView view = TRY(show_plan(planner));
  auto changed = TRY(planner.version_control.changed_files());
  return Requirements{std::move(view), std::move(changed)};
}

Result<PlanChange> set_goal(const Planner& planner, const plan::Header& header) {
  return change_plan(planner, [&](const plan::Outline& outline) {
    return plan::set_goal(outline, header, planner.config);
  });
}

Result<PlanChange> set_details(const Planner& planner, std::string_view description,
                               const std::optional<std::vector<plan::Constraint>>& constraints,
                               std::string_view version) {
  return change_plan(
      planner,
      [&](const plan::Outline& outline) {
        return plan::set_details(outline, description, constraints, planner.config);
      },
      version);
}

Result<PlanChange> set_tasks(const Planner& planner, const TasksRequest& request) {
  const PlanEdit edit = [&](const plan::Outline& outline) -> Result<plan::Edited> {
    const plan::Plan& before = outline.document;
    const std::size_t removed = plan::removed_tasks(before.tasks, request.tasks).size();
    if (removed > 0 && request.may_remove) TRY(request.may_remove(before, removed));
    return plan::set_tasks(outline, request.tasks, planner.config);
  };
  return change_plan(planner, edit, request.version);
}

Result<PlanChange> mark_task(const Planner& planner, std::string_view task_id, bool done) {
  return change_plan(planner, [&](const plan::Outline& outline) {
    return plan::mark_task(outline, task_id, done, planner.config);
  });
}

Result<PlanChange> finish_job(const Planner& planner) {
  return change_plan(
      planner, [&](const plan::Outline& outline) { return plan::finish(outline, planner.config); });
}

}  // namespace baton::verbs
