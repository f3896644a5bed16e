#include "run/walk/scope.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "run/testing/event_generator.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using json::Value;

std::string got(const RunScope& scope, std::string_view path) {
  const auto value = scope.get(path);
  return value ? json::print(*value) : "nothing";
}

TEST(scope, plain_paths_reach_members_elements_and_lengths) {
  const Object context{{"a", Object{{"b", Array{1, Object{{"c", "x"}}}}}},
                       {"text", "h\u00E9\U0001F600"},
                       {"none", nullptr},
                       {"dotted.name", 7}};
  const RunScope scope(context, {});
  EXPECT_EQ(got(scope, "a.b"), R"([1,{"c":"x"}])");
  EXPECT_EQ(got(scope, "a.b.0"), "1");
  EXPECT_EQ(got(scope, "a.b.1.c"), "\"x\"");
  EXPECT_EQ(got(scope, "a.b.length"), "2");
  EXPECT_EQ(got(scope, "text.length"), "4");
  EXPECT_EQ(got(scope, "none"), "null");
  EXPECT_EQ(got(scope, "dotted.name"), "7");
  for (const std::string_view path : {"x", "a.x", "a.b.2", "a.b.-1", "a.b.c", "a.length", "none.x",
                                      "a.b.length.x", "a.", ".a", "", "a..b"}) {
    EXPECT_EQ(got(scope, path), "nothing") << path;
  }
}

TEST(scope, inputs_are_part_of_the_context) {
  const Object context{{"bug", Object{{"id", 3}}}};
  EXPECT_EQ(got(RunScope(context, {}), "inputs.bug.id"), "3");
  EXPECT_EQ(got(RunScope(context, {}), "inputs.other"), "nothing");
  const Object own{{"inputs", Object{{"bug", 1}}}, {"bug", 2}};
  EXPECT_EQ(got(RunScope(own, {}), "inputs.bug"), "1");
}

TEST(scope, loop_variables_hide_the_context) {
  const Object context{{"item", "outside"}, {"other", 1}};
  const RunScope scope(context, {{"item", Object{{"name", "inside"}}}});
  EXPECT_EQ(got(scope, "item.name"), "\"inside\"");
  EXPECT_EQ(got(scope, "other"), "1");
}

constexpr std::string_view nested = R"(
id: x
steps:
  - {id: first, prompt: p}
  - id: outer
    type: loop
    loop: {type: forEach, items: files, maxIterations: 9, itemVar: file, indexVar: at}
    body:
      - id: maybe
        type: conditional
        condition: {var: file}
        then:
          - id: inner
            type: loop
            loop: {type: for, count: 3, maxIterations: 9}
            body: [{id: look, prompt: p}]
)";

Cursor inside() {
  const auto files = std::make_shared<const Value>(Array{"a.cc", Object{{"path", "b.cc"}}});
  return {1,
          {CursorFrame{.block = 0, .iteration = 1, .index = 0, .decision = {}, .pinned = files},
           CursorFrame{.block = 0, .iteration = 0, .index = 0},
           CursorFrame{.block = 0, .iteration = 2, .index = 0}}};
}

TEST(scope, loops_around_a_place_give_it_their_variables) {
  const auto pinned = testing::yaml_workflow(nested);
  EXPECT_EQ(loop_variables(pinned.workflow, inside()),
            (Object{{"currentIteration", 3}, {"file", Object{{"path", "b.cc"}}}, {"at", 1}}));
  EXPECT_EQ(loop_variables(pinned.workflow, {0, {}}), Object{});
}

TEST(scope, steps_are_named_by_the_rounds_around_them) {
  const auto pinned = testing::yaml_workflow(nested);
  EXPECT_EQ(key_at(pinned.workflow, inside()), "outer@1/inner@2::look");
  EXPECT_EQ(key_at(pinned.workflow, {0, {}}), "first");
  EXPECT_EQ(step_at(pinned.workflow, {2, {}}), nullptr);
  Cursor nowhere = inside();
  nowhere.frames[1].block = 4;
  EXPECT_EQ(step_at(pinned.workflow, nowhere), nullptr);
}

RC_GTEST_PROP(scope, any_cursor_and_path_are_safe_to_look_up, ()) {
  static const auto pinned = testing::yaml_workflow(nested);
  json::testing::ShrinkingChoices choose;
  const Cursor cursor{static_cast<std::int64_t>(choose(4)), testing::any_frames(choose)};
  const Object context = testing::any_exact_object(choose);
  const RunScope scope(context, loop_variables(pinned.workflow, cursor));
  static_cast<void>(scope.get(json::testing::any_string(choose)));
  const workflow::Step* step = step_at(pinned.workflow, cursor);
  if (step != nullptr) RC_ASSERT(key_at(pinned.workflow, cursor).ends_with(step->id));
}

}  // namespace
}  // namespace baton::run
