#pragma once
// A plan as an agent sees it: fields for programs, and a text that says the same. Both stay within
// limits::result_bytes_max, however long the plan is; the resource has all of it.

#include "protocol/features/tool.h"
#include "verbs/plan/plan.h"

namespace baton::surface::planner {

/// The schema of what gather_requirements answers, and a short one for the tools that answer the
/// same after a change.
json::Value result_schema();
json::Value change_schema();

/// Of a text that was sent: what it says as a plan.
protocol::ToolResult encode(const verbs::PlanView& view);

/// Whether an answer has room for all tasks.
bool shows_all_tasks(const plan::Plan& document);

protocol::ToolResult encode(const Result<verbs::Requirements>& requirements);

/// `what` says in one sentence what was done.
protocol::ToolResult encode(const Result<verbs::PlanChange>& change, std::string_view what);

/// A constant of ours as JSON.
json::Value schema(std::string_view text);

}  // namespace baton::surface::planner
