#pragma once
// Schemas and frames in few words. Only tests include this.

#include "base/core/result.h"
#include "state/schema.h"
#include "state/update.h"

namespace baton::state::testing {

inline json::Value value(std::string_view text) { return MUST(json::parse(text)); }
inline json::Object object(std::string_view text) { return *value(text).if_object(); }
inline Tree tree(std::string_view text) { return Tree::from(value(text)); }
inline Path path(std::string_view text) { return MUST(parse_path(text)); }

inline StateSchema schema(std::string_view state, std::string_view inputs = "{}") {
  return MUST(StateSchema::read(object(state), object(inputs)));
}

/// A computed field as the compiler writes it.
inline json::Value computed(std::string_view name, json::Array from, std::string_view transform,
                            json::Object more = {}) {
  json::Object out{{"name", name},
                   {"list", from.size() != 1},
                   {"from", std::move(from)},
                   {"transform", transform},
                   {"on_error", "use_fallback"}};
  for (auto& [key, each] : more) out.set(key, std::move(each));
  return out;
}

inline StateSchema computing(json::Array fields, json::Object more = {}) {
  more.set("computed", std::move(fields));
  return MUST(StateSchema::read(more, {}));
}

inline Frame frame(std::string_view tiers) { return MUST(frame_from_json(value(tiers))); }

}  // namespace baton::state::testing
