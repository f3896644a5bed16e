#pragma once
// Fields of a compiled step by their names in its JSON. Only tests include this.

#include "workflow/compiled.h"

namespace baton::workflow::testing {

/// What the JSON of the step has under that key. REQUIRES: it has it.
inline json::Value field_of(const Step& step, std::string_view key) {
  return *to_json(step).find(key);
}

/// The step with these fields in its JSON too.
inline Step with_fields(const Step& step, const json::Object& fields) {
  json::Value whole = to_json(step);
  for (const json::Member& each : fields) whole.if_object()->set(each.key, each.value);
  return MUST(steps_from_json({std::move(whole)})).front();
}

inline void set_field(Step& step, std::string_view key, json::Value value) {
  step = with_fields(step, {{key, std::move(value)}});
}

}  // namespace baton::workflow::testing
