#pragma once
// A plan that was sent as JSON against its form and its rules: every problem, not only the first.
// Values only; any thread.

#include "base/json/json.h"
#include "plan/config.h"
#include "plan/validate.h"

namespace baton::plan {

/// What has the wrong type is INVALID_TYPE, and a field that no plan has INVALID_VALUE. The rules
/// of a plan are checked once its form is right.
Validation validate_json(const json::Value& value, const PlanConfig& config = default_config());

}  // namespace baton::plan
