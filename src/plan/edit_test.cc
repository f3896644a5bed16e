#include "plan/edit.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "plan/parse.h"

namespace baton::plan {
namespace {

constexpr std::string_view sample =
    "feat(plan): Keep it\n\nWhy and how.\n\n- Never: lose text\n\n"
    "- [ ]: Read\n  - [x]: Lines\n  - [ ]: Blocks\n- [ ]: Write lines\n\nGo on.\n";

Plan document(std::string_view text = sample) { return *editable(text, default_config()); }

TEST(plan_edit, a_goal_replaces_the_header_and_nothing_else) {
  const auto edited = set_goal(sample, {"fix", "plan", true, "Other"}, default_config());
  ASSERT_TRUE(edited);
  EXPECT_EQ(format(edited->document), "fix(plan)!: Other" + std::string(sample.substr(19)));
}

TEST(plan_edit, text_that_is_not_a_plan_is_kept_below_the_goal) {
  const auto edited = set_goal("half a thought\nmore", {"feat", {}, false, "T"}, default_config());
  ASSERT_TRUE(edited);
  EXPECT_EQ(format(edited->document), "feat: T\n\nhalf a thought\nmore\n");
  EXPECT_EQ(edited->notes.size(), 1u);
}

TEST(plan_edit, nothing_is_edited_after_a_halt) {
  const auto edited = set_goal("feat: x\nno blank", {"feat", {}, false, "T"}, default_config());
  ASSERT_FALSE(edited);
  EXPECT_EQ(edited.error().code, Code::COMMIT_VALIDATION_FAILED);
  EXPECT_EQ(edited.error().message,
            "the plan cannot be read to its end: line 2, column 1: expected an empty line after "
            "the header");
}

TEST(plan_edit, details_keep_the_constraints_unless_others_are_given) {
  const PlanConfig& config = default_config();
  EXPECT_EQ(set_details(document(), "New.", std::nullopt, config)->document.constraints,
            document().constraints);
  EXPECT_TRUE(set_details(document(), "New.", std::vector<Constraint>{}, config)
                  ->document.constraints.empty());
  const auto read = set_details(document(), "New.\n\n- Avoid: haste\n", std::nullopt, config);
  EXPECT_EQ(read->document.description, "New.");
  EXPECT_EQ(read->document.constraints, (std::vector<Constraint>{{"Avoid", "haste"}}));
  EXPECT_FALSE(
      set_details(document(), "New.\n\n- Avoid: haste", std::vector<Constraint>{}, config));
}

TEST(plan_edit, details_with_tasks_or_without_words_are_refused) {
  const PlanConfig& config = default_config();
  EXPECT_EQ(set_details(document(), " \n", std::nullopt, config).error().code, Code::INVALID_INPUT);
  EXPECT_EQ(set_details(document(), "a\n\n- [ ]: b", std::nullopt, config).error().code,
            Code::COMMIT_VALIDATION_FAILED);
  EXPECT_EQ(set_details(document(), "a\n- [ ]:", std::nullopt, config).error().message,
            "the description cannot be stored: line 2, column 1: expected a task: - [ ]: text");
}

TEST(plan_edit, a_task_is_found_by_text_then_number_then_part) {
  const std::vector<PlanTask> tasks = {
      {false, "2"}, {false, "a 2"}, {false, "abc", {{false, "d"}}}};
  EXPECT_EQ(*find_task(tasks, "2"), (TaskPath{0}));
  EXPECT_EQ(*find_task(tasks, "3.1"), (TaskPath{2, 0}));
  EXPECT_EQ(*find_task(tasks, " bc "), (TaskPath{2}));
  EXPECT_EQ(find_task(tasks, "3.2").error().code, Code::TASK_NOT_FOUND);
  EXPECT_EQ(find_task(tasks, "a").error().message, "'a' matches 2 tasks: 2 'a 2', 3 'abc'");
  EXPECT_EQ(find_task(tasks, "").error().code, Code::INVALID_INPUT);
  EXPECT_EQ(find_task({}, "a").error().code, Code::NO_TASKS_FOUND);
}

TEST(plan_edit, a_message_names_as_many_tasks_as_its_limit_and_counts_the_rest) {
  const auto message = [](std::size_t count) {
    std::vector<PlanTask> tasks;
    for (std::size_t i = 0; i < count; ++i) tasks.push_back({false, cat("same ", i)});
    return find_task(tasks, "same").error().message;
  };
  EXPECT_FALSE(message(limits::plan_named_tasks_max).contains(" more"));
  EXPECT_TRUE(message(limits::plan_named_tasks_max + 1).ends_with(" and 1 more"));
}

TEST(plan_edit, the_last_child_completes_its_parent_and_one_reopens_it) {
  const auto done = mark_task(document(), "Blocks", true);
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->document.tasks[0].done);
  EXPECT_EQ(done->notes, (std::vector<std::string>{"1 'Read' is done too: all of its tasks are"}));
  const auto open = mark_task(done->document, "1.1", false);
  ASSERT_TRUE(open);
  EXPECT_FALSE(open->document.tasks[0].done);
  EXPECT_EQ(open->notes, (std::vector<std::string>{"1 'Read' is open again"}));
}

TEST(plan_edit, a_parent_with_open_tasks_cannot_be_done) {
  const auto refused = mark_task(document(), "1", true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::NOT_ALL_TASKS_COMPLETE);
  EXPECT_EQ(refused.error().message, "1 'Read' has open tasks: 1.2 'Blocks'");
}

TEST(plan_edit, finishing_names_open_tasks_and_without_any_sets_the_directive) {
  EXPECT_EQ(finish(document()).error().message,
            "3 tasks are open: 1 'Read', 1.2 'Blocks', 2 'Write lines'");
  Plan all = mark_task(document(), "1.2", true)->document;
  all = mark_task(all, "2", true)->document;
  const auto finished = finish(all);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->document.direction, "Go on.\n\n~~~ COMPLETE ~~~");
  EXPECT_EQ(finish(finished->document)->document, finished->document);
  EXPECT_EQ(finish(document("feat: x")).error().code, Code::NO_TASKS_FOUND);
}

TEST(plan_edit, another_directive_gives_way_to_complete) {
  const auto finished = finish(document("feat: x\n\n- [x]: a\n\n~~~ EXECUTE ~~~\nand more\n"));
  EXPECT_EQ(finished->document.direction, "~~~ COMPLETE ~~~\nand more");
}

TEST(plan_edit, a_complete_plan_that_gets_an_open_task_is_complete_no_longer) {
  const Plan complete = document("feat: x\n\n- [x]: a\n\n~~~ COMPLETE ~~~\n");
  EXPECT_EQ(mark_task(complete, "a", false)->document.direction, std::nullopt);
  EXPECT_EQ(set_tasks(complete, {{false, "b"}})->document.direction, std::nullopt);
  EXPECT_NE(set_tasks(complete, {{true, "b"}})->document.direction, std::nullopt);
}

TEST(plan_edit, a_text_is_given_only_for_what_reads_back_the_same) {
  Plan bad = document();
  bad.header->type = "wish";
  bad.tasks[0].text = "two\nlines";
  const auto refused = checked_text(bad, default_config());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::COMMIT_VALIDATION_FAILED);
  EXPECT_EQ(refused.error().message,
            "header.type: must be one of feat, fix, refactor, build, chore, docs, lint, infra, "
            "spec; tasks.0.1: must be one line of UTF-8 text");
  EXPECT_EQ(*checked_text(document(), default_config()), sample);
}

}  // namespace
}  // namespace baton::plan
