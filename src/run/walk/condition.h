#pragma once
// Compiled conditions against a scope: {js}, {var}, {var, op, value}, {and}, {or}, {not}
// (docs/formats/compiled-workflow.md). What cannot be compared does not hold. Pure.

#include <string>

#include "base/json/json.h"
#include "run/walk/scope.h"
#include "run/walk/scripts.h"

namespace baton::run {

/// Whether a condition holds. A plain path needs no script: of the context, it does not hold when
/// there is nothing; of a state, what it names must be declared. A script that fails is an error,
/// if it decides anything.
Known<bool> holds(const json::Value& condition, const RunScope& scope, Scripts& scripts);

/// A condition for people: `reproduced equals true`.
std::string condition_text(const json::Value& condition);

/// Equality as an agent means it: texts without regard to case and the space around them, "3" is
/// 3, "yes", "1" and "true" are true, null is what is not there.
bool loosely_equal(const json::Value& one, const json::Value& other);

}  // namespace baton::run
