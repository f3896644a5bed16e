#pragma once
// The verbs of the plan: look at it, change one part of it. Each change waits for its turn among
// Batons, reads the text, makes the new one, and writes it only if the text is still the one it
// read; when another program was faster, the change is made again on what is there now.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/config.h"
#include "plan/document.h"
#include "plan/edit.h"
#include "plan/outline.h"
#include "plan/parse.h"
#include "ports/plan_turns.h"

namespace baton::verbs {

struct Planner {
  ports::VersionControl& version_control;
  const plan::PlanConfig& config;
  ports::PlanTurns* turns = nullptr;  // none: nothing else changes the plan
};

struct PlanView {
  std::string place;      // where it is kept, for people
  plan::Parsed parsed;    // what the grammar says of it
  plan::Outline outline;  // its text, and what the tools understand of it

  const std::string& text() const { return outline.text; }
  const plan::Plan& document() const { return outline.document; }
};

PlanView view_of(std::string place, std::string_view text, const plan::PlanConfig& config);

struct PlanChange {
  PlanView after;
  int stage_before = 0;
  std::vector<std::string> notes;  // what happened besides what was asked for
};

/// Makes a change of any kind. `version`: of the text that the change was made for; INVALID_INPUT
/// when the text is another one by now. Empty: any text.
using PlanEdit = std::function<Result<plan::Edited>(const plan::Outline&)>;
Result<PlanChange> change_plan(const Planner& planner, const PlanEdit& edit,
                               std::string_view version = {});

Result<PlanView> show_plan(const Planner& planner);

/// The plan, and the files that are changed beside it.
struct Requirements {
  PlanView view;
  ports::ChangedFiles changed;
};
Result<Requirements> gather_requirements(const Planner& planner);

Result<PlanChange> set_goal(const Planner& planner, const plan::Header& header);
Result<PlanChange> set_details(const Planner& planner, std::string_view description,
                               const std::optional<std::vector<plan::Constraint>>& constraints,
                               std::string_view version = {});

struct TasksRequest {
  std::vector<plan::PlanTask> tasks;
  std::string version = {};
  /// Asked before tasks of `before` are removed, with their number; an error refuses it.
  std::function<Result<void>(const plan::Plan& before, std::size_t removed)> may_remove = {};
};
Result<PlanChange> set_tasks(const Planner& planner, const TasksRequest& request);
Result<PlanChange> mark_task(const Planner& planner, std::string_view task_id, bool done);
Result<PlanChange> finish_job(const Planner& planner);

}  // namespace baton::verbs
