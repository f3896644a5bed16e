#pragma once
// The planner surface: a plan that lives in the description of the current change, and six tools
// to make it and to work through it.

#include <functional>
#include <vector>

#include "protocol/features/prompt.h"
#include "protocol/features/resource.h"
#include "protocol/features/tool.h"
#include "verbs/plan/plan.h"

namespace baton::surface::planner {

/// Gives the plan of the project. Any thread; what it refers to outlives the tools.
using PlannerSource = std::function<verbs::Planner()>;

/// The tools in the order they are listed.
std::vector<protocol::Tool> tools(const PlannerSource& planner);

protocol::Tool gather_requirements(const PlannerSource& planner);
protocol::Tool set_overarching_goal(const PlannerSource& planner);
protocol::Tool set_detailed_goal(const PlannerSource& planner);
protocol::Tool set_plan(const PlannerSource& planner);
protocol::Tool mark_task(const PlannerSource& planner);
protocol::Tool finish_job(const PlannerSource& planner);

inline constexpr std::string_view plan_uri = "baton://plan/current";

/// The plan's text, as baton://plan/current.
protocol::Resource plan_resource(const PlannerSource& planner);

/// `plan`: how to work with the plan, and its stage.
protocol::Prompt plan_prompt(const PlannerSource& planner);

}  // namespace baton::surface::planner
