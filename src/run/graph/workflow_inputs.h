#pragma once
// The inputs of a workflow: what its start must be given, by name, as part of the context. Pure.

#include "base/core/result.h"
#include "base/json/json.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

/// `given` and the defaults that have to be evaluated, of inputs that are not given. Each sees what
/// was given and the defaults before it, as `inputs` and by name.
Known<json::Object> with_evaluated_defaults(const json::Object& declared, json::Object given,
                                            Scripts& scripts);

/// The context that a run starts with: what was given, and the defaults of what was not.
/// INVALID_INPUT names every input that is missing or of another type.
Result<json::Object> with_inputs(const workflow::CompiledWorkflow& workflow,
                                 const json::Object& given);

/// The inputs as they are given or, where they are not, by default. INVALID_INPUT has every
/// problem.
Result<json::Object> checked_inputs(const json::Object& declared, const json::Object& given);

}  // namespace baton::run
