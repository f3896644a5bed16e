#include "state/delta.h"

#include <algorithm>
#include <array>

#include "base/json/fields.h"
#include "base/text/text.h"

namespace baton::state {
namespace {

constexpr std::array<std::string_view, 3> outcomes = {"computed", "fallback", "ignored"};
constexpr Code corrupt = Code::STORE_CORRUPT;

bool is_assignable(Root root) {
  return root == Root::raw || root == Root::state || root == Root::inputs ||
         root == Root::this_frame;
}

Result<Assignment> assignment_from(const json::Value& value) {
  json::Fields fields(value, "a change of the state", corrupt);
  const std::string text = TRY(fields.string("path"));
  auto path = parse_path(text);
  if (!path || !is_assignable(path->root) || path->segments.empty()) {
    return fields.wrong("path", "a path that can be written");
  }
  const json::Value* const assigned = TRY(fields.any("value"));
  Assignment out{std::move(*path), *assigned};
  TRY(fields.done());
  return out;
}

Result<Computation> computation_from(const json::Value& value) {
  json::Fields fields(value, "a computed field", corrupt);
  Computation out;
  out.field = TRY(fields.string("field"));
  if (fields.has("output")) out.output = *TRY(fields.any("output"));
  const auto outcome = std::ranges::find(outcomes, TRY(fields.string("outcome")));
  if (outcome == outcomes.end()) return fields.wrong("outcome", "computed, fallback or ignored");
  out.outcome = static_cast<ComputeOutcome>(outcome - outcomes.begin());
  if (fields.has("problem")) out.problem = TRY(fields.string("problem"));
  out.trigger = TRY(fields.string("trigger"));
  out.elapsed_us = TRY(fields.integer("elapsed_us"));
  TRY(fields.done());
  return out;
}

}  // namespace

std::string_view name_of(ComputeOutcome outcome) {
  return outcomes[static_cast<std::size_t>(outcome)];
}

std::vector<Path> paths_of(const Delta& delta) {
  std::vector<Path> out;
  out.reserve(delta.sets.size() + delta.computed.size());
  for (const Assignment& each : delta.sets) out.push_back(each.path);
  for (const Computation& each : delta.computed) out.push_back({Root::computed, {each.field}});
  return out;
}

void set_computed(Frame& frame, const Computation& computation) {
  frame.computed = computation.output ? frame.computed.with_member(computation.field,
                                                                   Tree::from(*computation.output))
                                      : frame.computed.without_member(computation.field);
}

Result<Frame> replayed(Frame frame, const Delta& delta) {
  for (const Assignment& each : delta.sets) {
    auto after = assigned(std::move(frame), each);
    if (!after) {
      return fail(corrupt, cat("a change does not fit the state: ", after.error().message));
    }
    frame = std::move(*after);
  }
  for (const Computation& each : delta.computed) set_computed(frame, each);
  return frame;
}

json::Object to_json(const Delta& delta) {
  json::Array sets;
  for (const Assignment& each : delta.sets) {
    sets.push_back(json::Object{{"path", print(each.path)}, {"value", each.value}});
  }
  json::Array computed;
  for (const Computation& each : delta.computed) {
    json::Object entry{{"field", each.field}};
    if (each.output) entry.set("output", *each.output);
    entry.set("outcome", name_of(each.outcome));
    if (!each.problem.empty()) entry.set("problem", each.problem);
    entry.set("trigger", each.trigger);
    entry.set("elapsed_us", each.elapsed_us);
    computed.push_back(std::move(entry));
  }
  return {{"sets", std::move(sets)}, {"computed", std::move(computed)}};
}

Result<Delta> delta_from_json(const json::Value& value) {
  json::Fields fields(value, "an update of the state", corrupt);
  Delta out;
  for (const json::Value& each : *TRY(fields.array("sets"))) {
    out.sets.push_back(TRY(assignment_from(each)));
  }
  for (const json::Value& each : *TRY(fields.array("computed"))) {
    out.computed.push_back(TRY(computation_from(each)));
  }
  TRY(fields.done());
  return out;
}

}  // namespace baton::state
