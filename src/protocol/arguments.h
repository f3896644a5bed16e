#pragma once
// The arguments of a tool call: repaired where callers are known to be lossy, then checked against
// the tool's input schema, with every problem reported at once.
//
// Values only; no owner, any thread.

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "protocol/tool.h"

namespace baton::protocol {

/// Repairs `arguments` in place and returns what cannot be repaired, one sentence each.
///
/// Repairs: an array or object sent as a JSON string, where the schema says array or object; null
/// for a property whose schema names a type (it means absent). Names that the schema does not know
/// are problems even where it does not say additionalProperties: false, because some clients
/// reject schemas with that keyword.
std::vector<std::string> repair_arguments(const json::Value& schema, json::Object& arguments);

/// Repairs and checks; the error is INVALID_INPUT and lists all problems.
Result<json::Object> accept_arguments(const Tool& tool, json::Object arguments);

}  // namespace baton::protocol
