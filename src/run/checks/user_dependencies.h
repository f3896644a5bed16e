#pragma once
// What only the user can give. The agent reports it as an artifact of kind baton.user_dependency:
// open, or with the user's answer. Pure.

#include <optional>
#include <string>
#include <vector>

#include "run/checks/artifacts.h"
#include "run/decide/verdict.h"
#include "workflow/compiled.h"

namespace baton::run {

/// The kind of choice that the step leaves to the user, or nothing.
std::optional<UserChoice> choice_of(const workflow::Step& step);

/// INVALID_INPUT when the agent asks for a choice that the step leaves to the agent: only choices
/// that the workflow marks may be asked for.
Result<void> check_user_needs(const workflow::Step& step,
                              const std::vector<UserDependency>& dependencies);

/// What is still open, and the choice that the step requires when no answer came.
std::vector<Finding> open_user_needs(const workflow::Step& step, std::string_view step_key,
                                     const std::vector<UserDependency>& dependencies);

/// What the prompt of a step with such a choice says of it; empty for other steps.
std::string describe_user_choice(const workflow::Step& step, const Preferences& preferences);

/// The artifact with the answer that the step waits for.
json::Value example_answer(const workflow::Step& step);

}  // namespace baton::run
