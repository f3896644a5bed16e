#pragma once
// The arguments of a tool call: repaired where callers are known to be lossy, then checked against
// the tool's input schema, with every problem reported at once.
//
// Values only; no owner, any thread.

#include <optional>

#include "base/core/result.h"
#include "base/json/json.h"
#include "protocol/features/tool.h"

namespace baton::protocol {

/// What a call's params send as arguments; absent and null mean none. Nothing for a non-object,
/// not even as text.
std::optional<json::Object> read_arguments(const json::Object& params);

/// Repairs and checks. The error is INVALID_INPUT and lists all problems, up to
/// limits::problems_reported_max.
///
/// Repairs: an array or object sent as a JSON string, where the schema says array or object; null
/// for a property whose schema names a type (it means absent). Names that the schema does not know
/// are problems even where it does not say additionalProperties: false, because some clients
/// reject schemas with that keyword.
Result<json::Object> accept_arguments(const CheckedTool& entry, json::Object arguments);

}  // namespace baton::protocol
