#pragma once
// The verbs of the plan: look at it, change one part of it. Each change reads the text, makes the
// new one, checks that it reads back the same, and writes it only if the text is still the one it
// read; when it is not, the change is made again on what is there now.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/config.h"
#include "plan/document.h"
#include "plan/edit.h"
#include "plan/parse.h"
#include "ports/version_control.h"

namespace baton::verbs {

struct Planner {
  ports::VersionControl& version_control;
  const plan::PlanConfig& config;
};

struct PlanView {
  std::string place;  // where it is kept, for people
  std::string text;   // as it is written there
  plan::Parsed parsed;
};

struct PlanChange {
  PlanView after;
  int stage_before = 0;
  std::vector<std::string> notes;  // what happened besides what was asked for
};

/// Makes a change of any kind.
using PlanEdit = std::function<Result<plan::Edited>(const plan::Plan&)>;
Result<PlanChange> change_plan(const Planner& planner, const PlanEdit& edit);

Result<PlanView> show_plan(const Planner& planner);

/// The plan, and the files that are changed beside it.
struct Requirements {
  PlanView view;
  ports::ChangedFiles changed;
};
Result<Requirements> gather_requirements(const Planner& planner);

Result<PlanChange> set_goal(const Planner& planner, const plan::Header& header);
Result<PlanChange> set_details(const Planner& planner, std::string_view description,
                               const std::optional<std::vector<plan::Constraint>>& constraints);
Result<PlanChange> set_tasks(const Planner& planner, const std::vector<plan::PlanTask>& tasks);
Result<PlanChange> mark_task(const Planner& planner, std::string_view task_id, bool done);
Result<PlanChange> finish_job(const Planner& planner);

}  // namespace baton::verbs
