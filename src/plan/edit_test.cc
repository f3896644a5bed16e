// Origin: 003-45, 003-46, 003-48, 003-49, 003-63
#include "plan/edit.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "plan/parse.h"

namespace baton::plan {
namespace {

constexpr std::string_view sample =
    "feat(plan): Keep it\n\nWhy and how.\n\n- Never: lose text\n\n"
    "- [ ]: Read\n  - [x]: Lines\n  - [ ]: Blocks\n- [ ]: Write lines\n\nGo on.\n";

const PlanConfig& config = default_config();

Outline outline(std::string_view text = sample) { return outline_of(text, config); }

Plan read(const Result<Edited>& edited) { return outline_of(edited->text, config).document; }

std::string with_goal(std::string_view text, const Header& header = {"feat", {}, false, "T"}) {
  const auto edited = set_goal(outline(text), header, config);
  return edited ? edited->text : edited.error().message;
}

TEST(plan_edit, a_goal_replaces_the_header_and_nothing_else) {
  const auto edited = set_goal(outline(), {"fix", "plan", true, "Other"}, config);
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->text, "fix(plan)!: Other" + std::string(sample.substr(19)));
  EXPECT_EQ(edited->notes, (std::vector<std::string>{"the goal was: feat(plan): Keep it"}));
}

TEST(plan_edit, a_scope_that_is_left_out_is_named) {
  const auto edited = set_goal(outline(), {"fix", {}, false, "Other"}, config);
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->notes.back(), "the scope 'plan' was left out and is no longer there");
}

TEST(plan_edit, any_text_is_taken_over_whole) {
  EXPECT_EQ(with_goal("half a thought\nmore"), "feat: T\n\nhalf a thought\nmore\n");
  EXPECT_EQ(with_goal("https://host/x"), "feat: T\n\nhttps://host/x\n");
  EXPECT_EQ(with_goal("note: remember to squash"), "feat: T\n\nnote: remember to squash\n");
  EXPECT_EQ(with_goal("todo: ask again\n\nMore.\n"), "feat: T\n\ntodo: ask again\n\nMore.\n");
  EXPECT_EQ(with_goal("WIP: parser\r\n\r\n- [ ] one\r\n"),
            "feat: T\r\n\r\nWIP: parser\r\n\r\n- [ ] one\r\n");
  EXPECT_EQ(with_goal("Refs: #12"), "feat: T\n\nRefs: #12\n");
  EXPECT_EQ(with_goal("caf\xE9\n"), "feat: T\n\ncaf\xE9\n");
  EXPECT_EQ(with_goal(""), "feat: T\n");
  EXPECT_EQ(with_goal("\n\nfeat: x\n"), "feat: T\n\n\n");
}

TEST(plan_edit, a_first_line_that_breaks_the_rules_is_kept_below_the_goal) {
  EXPECT_EQ(with_goal("feat(ABC-12): t\n\nWhy.\n"), "feat: T\n\nfeat(ABC-12): t\n\nWhy.\n");
  EXPECT_EQ(with_goal("wish: t\n\n- [ ]: A\n"), "feat: T\n\nwish: t\n\n- [ ]: A\n");
  const std::string long_line = "feat: " + std::string(200, 'x') + "\n";
  EXPECT_EQ(with_goal(long_line), "feat: T\n\n" + long_line);
  EXPECT_EQ(with_goal("feat: x\nno blank"), "feat: T\n\nno blank");
}

TEST(plan_edit, details_keep_the_constraints_unless_others_are_given) {
  const std::vector<Constraint> before = outline().document.constraints;
  EXPECT_EQ(read(set_details(outline(), "New.", std::nullopt, config)).constraints, before);
  EXPECT_TRUE(
      read(set_details(outline(), "New.", std::vector<Constraint>{}, config)).constraints.empty());
  const auto sent = set_details(outline(), "New.\n\n- Avoid: haste\n", std::nullopt, config);
  EXPECT_EQ(read(sent).description, "New.");
  EXPECT_EQ(read(sent).constraints, (std::vector<Constraint>{{"Avoid", "haste"}}));
  EXPECT_FALSE(set_details(outline(), "New.\n\n- Avoid: haste", std::vector<Constraint>{}, config));
}

TEST(plan_edit, details_may_hold_lists_and_code) {
  for (const std::string_view text :
       {"APPROACH:\n- Parser: reads lines\n- Generic engine: none", "```\n- [ ]: not a task\n```",
        "Run:\n\n```sh\n- Never: a\n~~~ X ~~~\n```\n\nThen stop.", "- one\n- Two: Three"}) {
    const auto edited = set_details(outline(), text, std::nullopt, config);
    ASSERT_TRUE(edited) << text << edited.error().message;
    EXPECT_EQ(read(edited).description, text);
    EXPECT_EQ(read(edited).tasks, outline().document.tasks);
    EXPECT_EQ(read(edited).constraints, outline().document.constraints);
  }
}

TEST(plan_edit, details_with_tasks_or_without_words_are_refused_with_their_line) {
  const auto message = [](std::string_view text) {
    return set_details(outline(), text, std::nullopt, config).error().message;
  };
  EXPECT_EQ(set_details(outline(), " \n", std::nullopt, config).error().code, Code::INVALID_INPUT);
  EXPECT_EQ(message("a\n\n- [ ]: b"), "the description cannot be stored: line 3 reads as a task");
  EXPECT_EQ(message("a\n- [ ]:"),
            "the description cannot be stored: line 2 is nearly a task: - [ ]: text");
  EXPECT_EQ(message("a\n~~~ STOP ~~~"),
            "the description cannot be stored: line 2 reads as a directive");
  EXPECT_EQ(message("a\n\n- Never: b\n\nmore"),
            "the description cannot be stored: line 5 is text below the constraint of line 3");
}

constexpr std::string_view with_notes =
    "feat: T\n\nWhy.\n- [ ] a box\n\n- Never: a\n  wrapped\n\n## First\n\n* note\n- [ ]: A  \n"
    "  about A\n\n## Second\n\n- [ ]: B\n    - [x]: C\n\nGo on.\n";

TEST(plan_edit, what_is_not_understood_stays_in_its_place) {
  const Outline before = outline(with_notes);
  EXPECT_EQ(before.document.tasks,
            (std::vector<PlanTask>{{false, "A"}, {false, "B", {{true, "C"}}}}));
  std::string marked(with_notes);
  marked.replace(marked.find("- [ ]: A"), 8, "- [x]: A");
  EXPECT_EQ(mark_task(before, "A", true, config)->text, marked);
  // Tasks that stay keep what is around them; one that is new has its place.
  const auto planned =
      set_tasks(before, {{false, "A"}, {false, "New"}, {false, "B", {{true, "C"}}}}, config);
  ASSERT_TRUE(planned) << planned.error().message;
  std::string added(with_notes);
  added.insert(added.find("\n## Second"), "- [ ]: New\n");
  EXPECT_EQ(planned->text, added);
  const auto fewer = set_tasks(before, {{false, "B"}}, config);
  ASSERT_TRUE(fewer) << fewer.error().message;
  for (const std::string_view kept : {"- [ ] a box\n", "  wrapped\n", "## First\n", "* note\n",
                                      "  about A\n", "## Second\n", "Go on.\n"}) {
    EXPECT_TRUE(fewer->text.contains(kept)) << kept << fewer->text;
  }
  EXPECT_EQ(read(fewer).tasks, (std::vector<PlanTask>{{false, "B"}}));
  const auto detailed = set_details(before, "New.", std::nullopt, config);
  ASSERT_TRUE(detailed) << detailed.error().message;
  EXPECT_TRUE(detailed->text.starts_with("feat: T\n\nNew.\n\n- [ ] a box\n\n- Never: a\n"))
      << detailed->text;
}

TEST(plan_edit, tasks_say_what_they_remove_and_open_again) {
  const auto edited = set_tasks(outline(), {{false, "Lines"}, {false, "Write lines"}}, config);
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->notes, (std::vector<std::string>{"removed: 1 'Read', 1.2 'Blocks'",
                                                     "done before and open now: 1 'Lines'"}));
}

TEST(plan_edit, a_plan_that_is_too_long_can_be_marked_and_not_lengthened) {
  const std::string text =
      cat("feat: T\n\n", std::string(default_config().bytes_max, 'x'), "\n\n- [ ]: A\n");
  const auto marked = mark_task(outline(text), "A", true, config);
  ASSERT_TRUE(marked) << marked.error().message;
  const auto longer = set_tasks(outline(text), {{false, "A"}, {false, "B"}}, config);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, Code::COMMIT_VALIDATION_FAILED);
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
  const auto done = mark_task(outline(), "Blocks", true, config);
  ASSERT_TRUE(done);
  EXPECT_TRUE(read(done).tasks[0].done);
  EXPECT_EQ(done->notes, (std::vector<std::string>{"1 'Read' is done too: all of its tasks are"}));
  const auto open = mark_task(outline(done->text), "1.1", false, config);
  ASSERT_TRUE(open);
  EXPECT_FALSE(read(open).tasks[0].done);
  EXPECT_EQ(open->notes, (std::vector<std::string>{"1 'Read' is open again"}));
}

TEST(plan_edit, a_parent_with_open_tasks_cannot_be_done) {
  const auto refused = mark_task(outline(), "1", true, config);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::NOT_ALL_TASKS_COMPLETE);
  EXPECT_EQ(refused.error().message, "1 'Read' has open tasks: 1.2 'Blocks'");
}

TEST(plan_edit, finishing_names_open_tasks_and_without_any_sets_the_directive) {
  EXPECT_EQ(finish(outline(), config).error().message,
            "3 tasks are open: 1 'Read', 1.2 'Blocks', 2 'Write lines'");
  auto all = mark_task(outline(), "1.2", true, config);
  all = mark_task(outline(all->text), "2", true, config);
  const auto finished = finish(outline(all->text), config);
  ASSERT_TRUE(finished);
  EXPECT_EQ(read(finished).direction, "Go on.\n\n~~~ COMPLETE ~~~");
  EXPECT_EQ(finish(outline(finished->text), config)->text, finished->text);
  EXPECT_EQ(finish(outline("feat: x"), config).error().code, Code::NO_TASKS_FOUND);
}

TEST(plan_edit, another_directive_gives_way_to_complete) {
  const auto finished =
      finish(outline("feat: x\n\n- [x]: a\n\n~~~ EXECUTE ~~~\nand more\n"), config);
  EXPECT_EQ(finished->text, "feat: x\n\n- [x]: a\n\n~~~ COMPLETE ~~~\nand more\n");
}

TEST(plan_edit, a_complete_plan_that_gets_an_open_task_is_complete_no_longer) {
  const Outline complete = outline("feat: x\n\n- [x]: a\n\n~~~ COMPLETE ~~~\n");
  EXPECT_EQ(mark_task(complete, "a", false, config)->text, "feat: x\n\n- [ ]: a\n");
  EXPECT_EQ(read(set_tasks(complete, {{false, "b"}}, config)).direction, std::nullopt);
  EXPECT_NE(read(set_tasks(complete, {{true, "b"}}, config)).direction, std::nullopt);
}

TEST(plan_edit, a_text_is_given_only_for_what_reads_back_the_same) {
  const Plan good = *editable(sample, config);
  Plan bad = good;
  bad.header->type = "wish";
  bad.tasks[0].text = "two\nlines";
  const auto refused = checked_text(bad, default_config());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::COMMIT_VALIDATION_FAILED);
  EXPECT_EQ(refused.error().message,
            "header.type: must be one of feat, fix, refactor, build, chore, docs, lint, infra, "
            "spec; tasks.0.1: must be one line of UTF-8 text");
  EXPECT_EQ(*checked_text(good, default_config()), sample);
}

}  // namespace
}  // namespace baton::plan
