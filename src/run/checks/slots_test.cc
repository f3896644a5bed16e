#include "run/checks/slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "workflow/check/closed_sets.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

StepInput with_notes(std::string notes) {
  StepInput input;
  input.notes = std::move(notes);
  return input;
}

StepInput with_artifact(json::Value artifact) {
  StepInput input;
  input.artifacts = {std::move(artifact)};
  return input;
}

StepInput with_context(Object context) {
  StepInput input;
  input.context = std::move(context);
  return input;
}

std::string problem_of(const StepInput& input) {
  const auto checked = check_no_slots(input);
  return checked ? std::string() : checked.error().message;
}

TEST(slots, those_of_a_sample_are_found_with_their_places) {
  const Object sample{
      {"output", Object{{"notesMarkdown", cat(slot("what you did"), "\nPlan")},
                        {"artifacts", Array{Object{{"decision", slot("continue | stop")}}}}}},
      {"context", Object{{"files", slot("a list")}}}};
  EXPECT_THAT(slots_in(sample), ElementsAre(Slot{"output.notesMarkdown", "what you did"},
                                            Slot{"output.artifacts[0].decision", "continue | stop"},
                                            Slot{"context.files", "a list"}));
  EXPECT_THAT(slots_in({{"ackToken", "ack1"}}), IsEmpty());
}

TEST(slots, none_passes_wherever_it_is) {
  const std::string left = slot("what you did");
  const std::vector<StepInput> inputs = {
      with_notes(left),
      with_notes(cat("Done.\n", left, "\nPlan")),
      with_artifact(Object{{"kind", "x"}, {"list", Array{1, left}}}),
      with_artifact(Object{{"kind", "x"}, {left, 1}}),
      with_context({{"files", left}}),
      with_context({{"deep", Object{{"in", cat("a ", left)}}}}),
      with_notes("<what you did and found in this step>"),
      with_artifact(Object{{"kind", "baton.user_dependency"}, {"answer", "<what the user said>"}})};
  for (const StepInput& each : inputs) {
    EXPECT_THAT(problem_of(each), HasSubstr("this is still the slot <")) << problem_of(each);
  }
  EXPECT_THAT(problem_of(with_context({{"files", left}})), HasSubstr("context.files"));
}

TEST(slots, other_texts_with_angles_are_left_alone) {
  for (const char* text : {"<br>", "a <fill> in", "Fill in the form.", "<what>", ""}) {
    EXPECT_EQ(problem_of(with_notes(text)), "") << text;
    EXPECT_EQ(problem_of(with_context({{"key", text}})), "") << text;
  }
}

TEST(slots, every_sample_of_an_artifact_is_sound_once_it_is_filled_and_not_before) {
  for (const workflow::Contract& contract : workflow::contracts()) {
    const json::Value sample = example_of(contract.id);
    EXPECT_THAT(read_artifacts({filled(sample)}).bad, IsEmpty()) << contract.id;
    EXPECT_NE(problem_of(with_artifact(sample)), "") << contract.id;
    EXPECT_EQ(problem_of(with_artifact(filled(sample))), "") << contract.id;
  }
}

TEST(slots, a_long_one_is_cut_in_the_error) {
  EXPECT_LT(problem_of(with_notes(slot(std::string(5'000, 'x')))).size(), 400U);
}

}  // namespace
}  // namespace baton::run
