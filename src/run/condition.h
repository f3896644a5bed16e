#pragma once
// Compiled conditions against a scope: {js}, {var}, {var, op, value}, {and}, {or}, {not}
// (docs/formats/compiled-workflow.md). What cannot be compared does not hold. Pure.

#include <string>

#include "base/json.h"
#include "run/scope.h"

namespace baton::run {

/// Whether a condition holds. `js` is a plain path, true or false; nothing else gets this far.
bool holds(const json::Value& condition, const Scope& scope);

/// Whether the engine can evaluate a condition without running a script; the first code of it
/// that would need one, when it cannot.
std::optional<std::string> script_in(const json::Value& condition);

/// A condition for people: `reproduced equals true`.
std::string condition_text(const json::Value& condition);

/// Equality as an agent means it: texts without regard to case and the space around them, "3" is
/// 3, "yes", "1" and "true" are true, null is what is not there.
bool loosely_equal(const json::Value& one, const json::Value& other);

}  // namespace baton::run
