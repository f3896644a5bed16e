// Origin: 003-31, 003-36
#include "plan/validate.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "plan/testing/document_generator.h"

namespace baton::plan {
namespace {

/// Each problem as "field CODE".
std::vector<std::string> codes(const std::vector<PlanProblem>& problems) {
  std::vector<std::string> out;
  for (const PlanProblem& problem : problems) out.push_back(cat(problem.field, ' ', problem.code));
  return out;
}

std::vector<std::string> errors(const Plan& document) { return codes(validate(document).errors); }

using Lines = std::vector<std::string>;

Plan titled(std::string title) {
  return {.header = Header{"feat", "plan", false, std::move(title)}};
}

Plan with_task(PlanTask task) {
  Plan document = titled("T");
  document.tasks.push_back(std::move(task));
  return document;
}

Plan with_direction(std::string direction) {
  Plan document = with_task({true, "a"});
  document.direction = std::move(direction);
  return document;
}

TEST(plan_validate, every_type_and_every_key_is_accepted) {
  for (const std::string& type : testing::header_types) {
    Plan document = titled("T");
    document.header->type = type;
    EXPECT_EQ(errors(document), Lines{}) << type;
  }
  for (const std::string& key : testing::constraint_keys) {
    Plan document = titled("T");
    document.constraints = {{key, "do it"}};
    EXPECT_EQ(errors(document), Lines{}) << key;
  }
}

TEST(plan_validate, a_header_is_needed_and_its_parts_are_checked) {
  EXPECT_EQ(errors({}), Lines{"header INVALID_TYPE"});
  Plan document = titled("T");
  document.header->type = "wish";
  EXPECT_EQ(errors(document), Lines{"header.type INVALID_VALUE"});
  EXPECT_EQ(errors(titled("")), Lines{"header.title TOO_SMALL"});
  EXPECT_EQ(errors(titled(" T")), Lines{"header.title CUSTOM"});
  EXPECT_EQ(errors(titled("T\t")), Lines{"header.title CUSTOM"});
  EXPECT_EQ(errors(titled("a\nb")), Lines{"header.title INVALID_FORMAT"});
  EXPECT_EQ(errors(titled("\xFF")), Lines{"header.title INVALID_FORMAT"});
}

TEST(plan_validate, a_title_is_measured_in_characters_on_both_sides_of_its_limit) {
  EXPECT_EQ(errors(titled(std::string(limits::plan_title_chars_max, 'a'))), Lines{});
  EXPECT_EQ(errors(titled(std::string(limits::plan_title_chars_max + 1, 'a'))),
            Lines{"header.title TOO_BIG"});
}

TEST(plan_validate, a_scope_begins_with_a_letter_and_may_hold_slashes_and_dots) {
  for (const std::string_view good : {"a", "a1", "plan/line", "x.y", "a-b"}) {
    EXPECT_TRUE(is_scope(good)) << good;
  }
  for (const std::string_view bad : {"", "1a", "-a", "A", "a_b", "a b", "é"}) {
    EXPECT_FALSE(is_scope(bad)) << bad;
  }
}

TEST(plan_validate, a_scope_in_capitals_is_refused_and_the_small_one_proposed) {
  Plan document = titled("T");
  document.header->scope = "Plan";
  const Validation validation = validate(document);
  EXPECT_EQ(codes(validation.errors), Lines{"header.scope INVALID_FORMAT"});
  EXPECT_EQ(codes(validation.warnings), Lines{"header.scope SCOPE_CASE"});
  EXPECT_EQ(validation.warnings[0].message, "write 'plan'");
}

TEST(plan_validate, a_missing_title_is_only_a_warning) {
  const Validation validation = validate(Plan{.header = Header{"feat"}});
  EXPECT_TRUE(validation.is_valid());
  EXPECT_EQ(codes(validation.warnings), Lines{"header.title MISSING_TITLE"});
}

TEST(plan_validate, a_description_holds_no_other_part_of_a_plan) {
  Plan document = titled("T");
  const auto with = [&](std::string text) {
    document.description = std::move(text);
    return errors(document);
  };
  EXPECT_EQ(with("a\n\n  b  \n- item\n- Must: Not"), Lines{});
  EXPECT_EQ(with(""), Lines{"description TOO_SMALL"});
  EXPECT_EQ(with(" \t"), Lines{"description TOO_SMALL"});
  EXPECT_EQ(with("\na"), Lines{"description CUSTOM"});
  EXPECT_EQ(with("a\n "), Lines{"description CUSTOM"});
  EXPECT_EQ(with("a\r\nb"), Lines{"description INVALID_FORMAT"});
  for (const char* line : {"- [ ]: t", "- [ ]:", "[x]: t", "- Never: b", "~~~ GO ~~~"}) {
    EXPECT_EQ(with(cat("a\n", line)), Lines{"description CUSTOM"}) << line;
  }
}

TEST(plan_validate, constraints_have_a_known_key_and_a_value_in_small_letters) {
  Plan document = titled("T");
  document.constraints = {
      {"Must", "be"}, {"Never", "Do"}, {"Never", ""}, {"Never", "a "}, {"Never", "a\nb"}};
  EXPECT_EQ(errors(document), (Lines{"constraints.0.0 INVALID_VALUE", "constraints.1.1 CUSTOM",
                                     "constraints.2.1 TOO_SMALL", "constraints.3.1 CUSTOM",
                                     "constraints.4.1 INVALID_FORMAT"}));
}

TEST(plan_validate, tasks_are_checked_at_every_level_with_the_path_of_the_tuples) {
  EXPECT_EQ(
      errors(with_task({false, "a", {{false, ""}, {false, " b"}, {false, "c\nd"}}})),
      (Lines{"tasks.0.2.0.1 TOO_SMALL", "tasks.0.2.1.1 CUSTOM", "tasks.0.2.2.1 INVALID_FORMAT"}));
}

TEST(plan_validate, depth_and_count_of_tasks_have_limits_on_both_sides) {
  const auto nested = [](std::size_t depth) {
    PlanTask task{false, "t"};
    for (std::size_t i = 0; i < depth; ++i) {
      PlanTask above{false, cat("t", i)};
      above.children.push_back(std::move(task));
      task = std::move(above);
    }
    return with_task(std::move(task));
  };
  EXPECT_EQ(errors(nested(limits::plan_depth_max)), Lines{});
  EXPECT_EQ(errors(nested(limits::plan_depth_max + 1)),
            Lines{"tasks.0.2.0.2.0.2.0.2.0.2.0 TOO_BIG"});
  Plan many = titled("T");
  many.tasks.resize(limits::plan_tasks_max, {false, "t"});
  EXPECT_EQ(errors(many), Lines{});
  many.tasks.push_back({false, "t"});
  EXPECT_EQ(errors(many), Lines{"tasks TOO_BIG"});
}

TEST(plan_validate, the_whole_text_has_a_limit_on_both_sides) {
  Plan document = titled("T");
  const std::size_t around = std::string_view("feat(plan): T\n\n\n").size();
  document.description = std::string(limits::plan_bytes_max - around, 'a');
  EXPECT_EQ(errors(document), Lines{});
  *document.description += 'a';
  EXPECT_EQ(errors(document), Lines{" TOO_BIG"});
}

TEST(plan_validate, a_direction_is_not_a_task_and_is_longer_than_its_halt) {
  EXPECT_EQ(errors(with_direction("Go on.")), Lines{});
  EXPECT_EQ(errors(with_direction("- Never: mind")), Lines{});
  EXPECT_EQ(errors(with_direction("Go!")), Lines{"direction TOO_SMALL"});
  EXPECT_EQ(errors(with_direction("Go on.\n- [ ]: t")), Lines{"direction CUSTOM"});
  EXPECT_EQ(errors(with_direction("[x]: t")), Lines{"direction CUSTOM"});
  EXPECT_EQ(errors(with_direction("\nGo on.")), Lines{"direction CUSTOM"});
}

TEST(plan_validate, a_direction_needs_something_that_ends_the_description) {
  Plan document = titled("T");
  document.direction = "Go on.";
  EXPECT_EQ(errors(document), Lines{"direction CUSTOM"});
  document.direction = "~~~ EXECUTE ~~~\nGo on.";
  EXPECT_EQ(errors(document), Lines{});
  document.constraints = {{"Never", "stop"}};
  document.direction = "Go on.";
  EXPECT_EQ(errors(document), Lines{});
  document.direction = "- Go: On";
  EXPECT_EQ(errors(document), Lines{"direction CUSTOM"});
}

TEST(plan_validate, warnings_name_what_is_likely_not_meant) {
  Plan document = with_task({true, "a", {{false, "b"}}});
  document.tasks.push_back({false, "b"});
  document.direction = "~~~ COMPLETE ~~~\n~~~ oops ~~~";
  const Validation validation = validate(document);
  EXPECT_TRUE(validation.is_valid());
  EXPECT_EQ(codes(validation.warnings),
            (Lines{"tasks.0.0 OPEN_CHILDREN", "tasks.1.1 SAME_TEXT", "direction UNREAD_DIRECTIVE",
                   "direction OPEN_TASKS"}));
}

TEST(plan_validate, text_that_is_not_parsed_is_not_valid) {
  EXPECT_EQ(codes(validate(parse("")).errors), Lines{"state INVALID_VALUE"});
  EXPECT_EQ(codes(validate(parse("prose")).errors), Lines{"state INVALID_VALUE"});
  EXPECT_EQ(validate(parse("feat: x\ny")).errors[0].message,
            "the text is halted; line 2, column 1: expected an empty line after the header");
}

}  // namespace

namespace {

bool passes(std::string_view text) { return lint_commit(text, default_config()).is_valid(); }

TEST(plan_lint, a_conventional_header_passes_and_another_does_not) {
  EXPECT_TRUE(passes("feat(plan)!: Add it\n"));
  EXPECT_TRUE(passes("fix: Mend it\n\nBody.\n"));
  EXPECT_FALSE(passes("Add it\n"));
  EXPECT_FALSE(passes("Feat: Add it\n"));
  EXPECT_FALSE(passes("wish: Add it\n"));
  EXPECT_FALSE(passes("feat: Add it\nBody.\n"));
  EXPECT_FALSE(passes(cat("feat: ", std::string(121, 'a'))));
  EXPECT_FALSE(passes(""));
}

TEST(plan_lint, the_body_of_a_commit_is_prose) {
  EXPECT_TRUE(passes("feat: Add it\n\n- [x] a box\n- Note: a remark\n- [ ]:\n"));
}

TEST(plan_lint, comments_and_what_is_below_the_scissors_are_not_read) {
  EXPECT_EQ(cleaned_message("\n# c\nfeat: a\n\n# c\nb\n\n"
                            "# ------------------------ >8 ------------------------\ndiff\n"),
            "feat: a\n\nb\n");
  EXPECT_TRUE(passes("# Please enter a message\nfeat: Add it\n# On branch main\n"));
}

TEST(plan_lint, messages_that_git_writes_pass) {
  for (const char* text : {"Merge branch 'a'", "Revert \"feat: a\"", "fixup! feat: a",
                           "squash! feat: a", "amend! feat: a"}) {
    EXPECT_TRUE(passes(text)) << text;
  }
}

}  // namespace
}  // namespace baton::plan
