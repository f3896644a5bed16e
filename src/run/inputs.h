#pragma once
// The inputs of a workflow: what its start must be given, by name, as part of the context. Pure.

#include "base/json.h"
#include "base/result.h"
#include "workflow/compiled.h"

namespace baton::run {

/// The context that a run starts with: what was given, and the defaults of what was not.
/// INVALID_INPUT names every input that is missing or of another type.
Result<json::Object> with_inputs(const workflow::CompiledWorkflow& workflow,
                                 const json::Object& given);

/// The inputs as they are given or, where they are not, by default. INVALID_INPUT has every
/// problem.
Result<json::Object> checked_inputs(const json::Object& declared, const json::Object& given);

}  // namespace baton::run
