#include "run/show/next_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Object;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What the step at `cursor` is told, of a workflow with these steps.
NextReads reads_at(std::string_view steps, Cursor cursor, Object context = {}) {
  const workflow::Pinned pinned = testing::yaml_workflow(
      cat("id: w\nname: W\ndescription: d\nversion: \"1\"\nsteps:\n", steps));
  NodeState state;
  state.cursor = std::move(cursor);
  state.context = std::make_shared<Object>(std::move(context));
  const RunScope scope = scope_at(pinned.workflow, state);
  if (state.cursor.frames.empty()) {
    const bool is_empty = next_reads(pinned.workflow, state, scope).sentences.empty();
    EXPECT_TRUE(is_empty || !next_reads_nothing(pinned.workflow, state));
  }
  return next_reads(pinned.workflow, state, scope);
}

constexpr std::string_view over_files = R"(
  - {id: gather, prompt: Gather.}
  - {id: each, type: loop, loop: {type: forEach, items: files, itemVar: file, maxIterations: 5},
     body: [{id: read, prompt: Read.}]}
  - {id: more, type: loop, loop: {type: while, condition: {var: again, equals: true},
     maxIterations: 3}, body: [{id: dig, prompt: Dig.}]}
  - {id: end, prompt: End.}
)";

CursorFrame round_of(std::int64_t iteration, json::Value items = nullptr) {
  return {
      .block = 0,
      .iteration = iteration,
      .index = 0,
      .decision = {},
      .pinned = items.is_null() ? nullptr : std::make_shared<const json::Value>(std::move(items))};
}

TEST(next_reads, a_list_that_the_next_loop_needs_is_told_while_it_is_not_there) {
  const NextReads told = reads_at(over_files, {0});
  EXPECT_THAT(told.sentences, ElementsAre("\"files\" in the context, a list: the loop \"each\" "
                                          "comes next and goes over it."));
  EXPECT_EQ(told.needed, (Object{{"files", "<fill in: a list>"}}));
  EXPECT_THAT(reads_at(over_files, {0}, {{"files", "a.cc"}}).sentences,
              ElementsAre(HasSubstr("now it is of type string")));
  EXPECT_THAT(reads_at(over_files, {0}, {{"files", json::Array{1}}}).sentences, IsEmpty());
}

TEST(next_reads, the_last_round_tells_what_the_loop_behind_reads) {
  const json::Array two{"a", "b"};
  EXPECT_THAT(reads_at(over_files, {1, {round_of(0, two)}}).sentences, IsEmpty());
  EXPECT_THAT(reads_at(over_files, {1, {round_of(1, two)}}).sentences,
              ElementsAre("The loop \"more\" comes next, while again equals true. Send in the "
                          "context what you know of \"again\" (not set)."));
}

TEST(next_reads, the_end_of_a_round_tells_the_condition_and_the_value_that_it_has) {
  const NextReads told = reads_at(over_files, {2, {round_of(0)}}, {{"again", true}});
  EXPECT_THAT(told.sentences,
              ElementsAre("The round ends, and the loop \"more\" repeats while again equals true. "
                          "Send in the context what you know of \"again\" (now true)."));
  EXPECT_TRUE(told.needed.empty());
}

TEST(next_reads, conditions_of_the_steps_that_may_follow_are_told_up_to_the_first_sure_one) {
  const NextReads told = reads_at(R"(
  - {id: a, prompt: A.}
  - {id: b, prompt: B., runCondition: {var: deep, equals: true}}
  - {id: c, prompt: C., runCondition: {or: [{var: x}, {not: {var: y.z}}]}}
  - {id: d, prompt: D.}
  - {id: e, prompt: E., runCondition: {var: late}}
)",
                                  {0}, {{"x", 3}});
  EXPECT_THAT(told.sentences,
              ElementsAre("The step \"b\" follows only if deep equals true. Send in the context "
                          "what you know of \"deep\" (not set).",
                          "The step \"c\" follows only if (x or not y.z). Send in the context what "
                          "you know of \"x\" (now 3), \"y.z\" (not set)."));
}

TEST(next_reads, variables_of_the_loop_around_are_no_context) {
  const NextReads told = reads_at(R"(
  - {id: l, type: loop, loop: {type: forEach, items: files, itemVar: file, maxIterations: 5},
     body: [{id: a, prompt: A.}, {id: b, prompt: B., runCondition: {var: file.big}}]}
)",
                                  {0, {round_of(0, json::Array{1, 2})}});
  EXPECT_THAT(told.sentences, IsEmpty());
}

TEST(next_reads, a_condition_that_cannot_hold_in_this_round_is_not_told) {
  constexpr std::string_view steps = R"(
  - {id: l, type: loop, loop: {type: forEach, items: files, itemVar: file, maxIterations: 5},
     body: [{id: a, prompt: A.},
            {id: b, prompt: B., runCondition: {and: [{var: file, equals: x}, {var: deep}]}}]}
)";
  const json::Array files{"x", "y"};
  EXPECT_THAT(reads_at(steps, {0, {round_of(0, files)}}).sentences,
              ElementsAre(HasSubstr("what you know of \"deep\" (not set)")));
  EXPECT_THAT(reads_at(steps, {0, {round_of(1, files)}}).sentences, IsEmpty());
}

TEST(next_reads, of_many_conditions_the_first_are_told) {
  std::string steps = "  - {id: a, prompt: A.}\n";
  for (std::size_t i = 0; i < limits::prompt_requirements_max + 2; ++i) {
    steps += cat("  - {id: s", i, ", prompt: S., runCondition: {var: v", i, "}}\n");
  }
  const NextReads told = reads_at(steps, {0});
  ASSERT_EQ(told.sentences.size(), limits::prompt_requirements_max + 1);
  EXPECT_EQ(told.sentences.back(), "2 more steps that follow have conditions on the context.");
}

TEST(next_reads, a_plain_step_behind_reads_nothing) {
  EXPECT_THAT(reads_at("  - {id: a, prompt: A.}\n  - {id: b, prompt: B.}\n", {0}).sentences,
              IsEmpty());
  EXPECT_THAT(reads_at("  - {id: a, prompt: A.}\n", {0}).sentences, IsEmpty());
}

}  // namespace
}  // namespace baton::run
