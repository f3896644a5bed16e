#pragma once
// validationCriteria: rules for the notes of a step under and, or, not. Each rule is described
// before the work and, when the notes break it, named after. Pure.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace baton::run {

/// Whether a compiled condition is true at the step.
using Holds = std::function<bool(const json::Value& condition)>;

/// What is wrong with `notes`, one text for each broken rule of the outermost "and"; empty when
/// nothing is. A rule whose condition does not hold says nothing.
std::vector<std::string> broken_criteria(const json::Value& criteria, std::string_view notes,
                                         const Holds& holds);

/// The rules as sentences about the notes, those whose condition does not hold left out.
std::vector<std::string> describe_criteria(const json::Value& criteria, const Holds& holds);

/// Texts that the notes must contain, for an example that would pass.
std::vector<std::string> required_texts(const json::Value& criteria, const Holds& holds);

}  // namespace baton::run
