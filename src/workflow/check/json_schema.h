#pragma once
// JSON Schema 2020-12 of the language, made from the compiler's tables. Every file that
// the compiler accepts matches the schema; the schema does not check names and cycles. Pure.

#include "base/json/json.h"

namespace baton::workflow {

json::Value language_schema();

/// The same of scenario files.
json::Value scenario_schema();

}  // namespace baton::workflow
