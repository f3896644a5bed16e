#pragma once
// What could be sent to make a run take another way: the names that the conditions and loops
// of a workflow go by, each with values that decide one way and the other. Pure.

#include <map>
#include <string>
#include <vector>

#include "run/show/reply.h"
#include "workflow/compiled.h"

namespace baton::run {

/// By name, the first value of a plain run first.
using Guesses = std::map<std::string, std::vector<json::Value>>;

/// Of facts in the context; what loops name themselves (an item, an index) is not among them. Of a
/// path such as `report.lines` the whole first name is guessed.
Guesses guesses_of(const workflow::CompiledWorkflow& workflow);

/// A value of the type that an input declares.
json::Value made_up_input(const json::Value& declared);

/// The names of required inputs that have no default and are not in `given`.
std::vector<std::string> missing_inputs(const workflow::CompiledWorkflow& workflow,
                                        const json::Object& given);

/// Results to try for a step, where its example has one: groups, of which the first that will do is
/// enough. Of a person, every choice; else the example, then values of other types, each type with
/// one that conditions take for true and one that they do not.
std::vector<std::vector<json::Value>> guessed_results(const Pending& pending,
                                                      const json::Value& example);

}  // namespace baton::run
