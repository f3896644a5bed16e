// Laws of the state, for random graphs of computed fields and random writes. Transforms are texts
// that a function of the test answers, so that what is computed is known without a sandbox.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/testing/json_generator.h"
#include "base/text/text.h"
#include "state/testing/fake_scripts.h"
#include "state/testing/schemas.h"
#include "state/update.h"

namespace baton::state {
namespace {

using json::Array;
using json::Object;
using json::Value;
using testing::computed;
using testing::computing;
using testing::pump;
using testing::Pumped;

/// The source is "count N": how much there is of the input, and of everything else in scope; it
/// fails when that is divisible by N.
ScriptResult count(std::string_view source, const Value& scope) {
  std::int64_t sum = 1;
  for (const char c : json::print(scope)) sum = (sum * 31 + c) % 1'000'003;
  const auto divisor = parse_int(source.substr(source.find_last_of(' ') + 1));
  if (sum % divisor.value_or(1'000'003) == 0) return testing::threw("divisible");
  return Value(sum);
}

std::string any_raw_path() {
  const int depth = *rc::gen::inRange(1, 3);
  std::string out =
      cat(*rc::gen::element("raw", "state"), '.', std::string(1, *rc::gen::inRange('a', 'd')));
  for (int i = 1; i < depth; ++i) out += cat('.', std::string(1, *rc::gen::inRange('a', 'c')));
  return out;
}

/// A field is computed from places of raw and state and from fields before it, and may mention a
/// few more of both.
StateSchema any_schema(std::string_view on_error) {
  Array fields;
  for (int i = 0, most = *rc::gen::inRange(1, 12); i < most; ++i) {
    Array from;
    for (int sources = *rc::gen::inRange(1, 3); sources > 0; --sources) {
      if (i > 0 && *rc::gen::inRange(0, 2) == 0) {
        from.emplace_back(
            cat(*rc::gen::element("computed.", "this.", ""), 'f', *rc::gen::inRange(0, i)));
      } else {
        from.emplace_back(any_raw_path());
      }
    }
    std::string code = "input + ";
    if (i > 0 && *rc::gen::inRange(0, 4) == 0) code += cat('f', *rc::gen::inRange(0, i), " + ");
    if (*rc::gen::inRange(0, 4) == 0) code += cat(any_raw_path(), " + ");
    fields.push_back(computed(cat('f', i), std::move(from),
                              cat(code, "count ", *rc::gen::inRange(2, 9)),
                              {{"on_error", on_error}, {"fallback", "fell"}}));
  }
  return computing(std::move(fields));
}

/// Whether a field of any_schema() is computed from another or mentions it.
bool reads(const ComputedField& field, const std::string& other) {
  const auto is_other = [&](const FieldSource& source) {
    return source.text == other || source.text.ends_with("." + other);
  };
  return std::ranges::any_of(field.from, is_other) || field.transform.contains(other + " + ");
}

std::string any_on_error() { return *rc::gen::element<std::string>("use_fallback", "ignore"); }

std::vector<Write> any_writes() {
  std::vector<Write> writes;
  json::testing::ShrinkingChoices choose;
  for (int left = *rc::gen::inRange(1, 6); left > 0; --left) {
    const auto operation = static_cast<Operation>(*rc::gen::inRange(0, 6));
    Value value = *rc::gen::inRange(0, 9);
    if (operation == Operation::merge) value = Object{{"a", value}};
    if (operation == Operation::set && choose(4) == 0) value = Object();
    writes.push_back({testing::path(any_raw_path()), operation, std::move(value)});
  }
  return writes;
}

Result<Delta> apply(const StateSchema& schema, const Frame& frame, std::span<const Write> writes,
                    Pumped* pumped = nullptr) {
  return pump(
      count,
      [&](ScriptAnswers& answers) { return apply_writes(schema, frame, writes, {}, answers); },
      pumped);
}

/// A frame that some batches made, those that failed left out.
Frame any_frame(const StateSchema& schema) {
  Frame frame = MUST(replayed({}, MUST(pump(count, [&](ScriptAnswers& answers) {
                                return first_state(schema, {}, {}, {}, answers);
                              }))));
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) {
    if (const auto delta = apply(schema, frame, any_writes()))
      frame = MUST(replayed(frame, *delta));
  }
  return frame;
}

/// The computed tier when every field is computed from what is not computed.
Tree computed_anew(const StateSchema& schema, const Frame& frame) {
  const Object tiers = to_json(frame);
  Object defaults;
  for (const std::string_view tier : {"raw", "state"}) {
    if (const Value* fields = tiers.find(tier)) defaults.set(tier, *fields);
  }
  const Delta delta = MUST(pump(count, [&](ScriptAnswers& answers) {
    return first_state(schema, defaults, {}, {}, answers);
  }));
  return MUST(replayed({}, delta)).computed;
}

RC_GTEST_PROP(state_laws, incremental_recompute_is_full_recompute, ()) {
  const StateSchema schema = any_schema(any_on_error());
  Frame frame = any_frame(schema);
  const auto delta = apply(schema, frame, any_writes());
  RC_PRE(delta.has_value());
  frame = MUST(replayed(frame, *delta));
  RC_ASSERT(frame.computed == computed_anew(schema, frame));
}

RC_GTEST_PROP(state_laws, a_field_is_computed_once_after_all_that_it_reads, ()) {
  const StateSchema schema = any_schema(any_on_error());
  const auto delta = apply(schema, any_frame(schema), any_writes());
  RC_PRE(delta.has_value());
  std::set<std::string> done;
  std::set<std::string> all;
  for (const Computation& each : delta->computed) all.insert(each.field);
  for (const Computation& each : delta->computed) {
    RC_ASSERT(done.insert(each.field).second);
    for (const std::string& other : all) {
      if (reads(*schema.find_computed(each.field), other)) RC_ASSERT(done.contains(other));
    }
  }
}

RC_GTEST_PROP(state_laws, a_batch_is_its_writes_one_by_one_when_none_fails, ()) {
  const StateSchema schema = any_schema(any_on_error());
  const Frame before = any_frame(schema);
  const std::vector<Write> writes = any_writes();
  const auto at_once = apply(schema, before, writes);
  Frame one_by_one = before;
  bool all_passed = true;
  for (const Write& each : writes) {
    const auto delta = apply(schema, one_by_one, std::span(&each, 1));
    all_passed = all_passed && delta.has_value();
    if (!all_passed) break;
    one_by_one = MUST(replayed(one_by_one, *delta));
  }
  // Without propagation, a batch fails exactly when one of its writes does.
  RC_ASSERT(at_once.has_value() == all_passed);
  if (all_passed) RC_ASSERT(MUST(replayed(before, *at_once)) == one_by_one);
}

RC_GTEST_PROP(state_laws, a_failed_propagate_leaves_no_trace, ()) {
  const StateSchema schema = any_schema(any_on_error());
  const Frame before = any_frame(schema);
  const Object kept = to_json(before);
  const StateSchema strict = any_schema("propagate");
  const auto delta = apply(strict, before, any_writes());
  RC_TAG(delta.has_value());
  RC_ASSERT(to_json(before) == kept);
  if (!delta) return;
  for (const Computation& each : delta->computed) {
    RC_ASSERT(each.outcome != ComputeOutcome::fallback);
    const auto input = input_of(strict, MUST(replayed(before, *delta)), each.field);
    // What failed was not given all that it is computed from.
    if (each.outcome == ComputeOutcome::ignored && input && input->is_array()) {
      RC_ASSERT(std::ranges::count(*input->if_array(), Value()) > 0);
    }
  }
}

RC_GTEST_PROP(state_laws, a_delta_comes_back_from_the_log_and_replays_to_the_same_state, ()) {
  const StateSchema schema = any_schema(any_on_error());
  const Frame before = any_frame(schema);
  const auto delta = apply(schema, before, any_writes());
  RC_PRE(delta.has_value());
  const std::string logged = MUST(json::canonical(to_json(*delta)));
  const Delta again = MUST(delta_from_json(MUST(json::parse(logged))));
  RC_ASSERT(again == *delta);
  const Frame live = MUST(replayed(before, *delta));
  RC_ASSERT(MUST(replayed(before, again)) == live);
  RC_ASSERT(MUST(frame_from_json(to_json(live))) == live);
}

RC_GTEST_PROP(state_laws, only_fields_that_read_what_changed_are_computed, ()) {
  const StateSchema schema = any_schema(any_on_error());
  const Frame before = any_frame(schema);
  const auto delta = apply(schema, before, any_writes());
  RC_PRE(delta.has_value());
  std::vector<Path> changed;
  for (const Assignment& each : delta->sets) changed.push_back(each.path);
  const auto affected = schema.affected(changed);
  RC_ASSERT(affected.size() == delta->computed.size());
  // And every field whose input differs is one of them.
  const Frame after = MUST(replayed(before, *delta));
  for (const ComputedField& field : schema.computed()) {
    const bool is_computed =
        std::ranges::count(delta->computed, field.name, &Computation::field) > 0;
    if (input_of(schema, before, field.name) != input_of(schema, after, field.name)) {
      RC_ASSERT(is_computed);
    }
  }
}

RC_GTEST_PROP(state_laws, writes_record_what_changed_and_no_more, ()) {
  Array list;
  for (int i = 0; i < 1000; ++i) list.push_back(i);
  Frame frame;
  frame.raw = Tree::from(Object{{"list", list}, {"map", Object{{"k", std::string(1000, 'x')}}}});
  const Write writes[] = {{testing::path("raw.list"), Operation::append, *rc::gen::inRange(0, 9)},
                          {testing::path("raw.map"), Operation::merge, Object{{"n", 1}}},
                          {testing::path("raw.list[500]"), Operation::increment, 1}};
  const Delta delta = MUST(apply(computing({}), frame, writes));
  RC_ASSERT(json::print(to_json(delta)).size() < 200u);
}

}  // namespace
}  // namespace baton::state
