#include "plan/lint.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace baton::plan {
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
