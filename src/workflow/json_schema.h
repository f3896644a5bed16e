#pragma once
// JSON Schema 2020-12 of the language, made from the tables that the compiler checks by. Whatever
// the compiler takes fits the schema; the schema knows nothing of names and circles. Pure.

#include "base/json/json.h"

namespace baton::workflow {

json::Value language_schema();

}  // namespace baton::workflow
