#include <gtest/gtest.h>

#include "base/text/text.h"
#include "cli/app.h"
#include "cli/commands/error_pages.h"
#include "cli/parts.h"
#include "cli/testing/memory_world.h"
#include "run/decide/verdict.h"

namespace baton::cli {
namespace {

std::string explained(std::string_view word) {
  MemoryWorld memory;
  memory.world().arguments = {"explain", std::string(word)};
  EXPECT_EQ(run(memory.world(), Parts{}).exit, ExitCode::ok) << memory.errors();
  return memory.output();
}

TEST(explain, every_blocker_has_a_page_that_says_what_to_do) {
  for (const std::string_view code : run::names<run::BlockerCode>()) {
    SCOPED_TRACE(code);
    const std::string text = explained(code);
    EXPECT_TRUE(text.contains(cat("# ", code, "\n\n## What happened\n\n")));
    EXPECT_TRUE(text.contains("\n## What to do next\n\n"));
    EXPECT_TRUE(text.contains("\n## Does retrying help?\n\n`retryable: "));
  }
}

TEST(explain, every_page_of_a_blocker_is_of_one_that_exists) {
  for (const EmbeddedText& page : blocker_pages()) {
    if (page.name == "README.md") {
      for (const std::string_view code : run::names<run::BlockerCode>()) {
        EXPECT_TRUE(page.text.contains(cat("[", code, "](", code, ".md)"))) << code;
      }
      continue;
    }
    const std::string_view code = page.name.substr(0, page.name.find('.'));
    EXPECT_TRUE(run::from_name<run::BlockerCode>(code)) << page.name;
  }
}

TEST(explain, every_reason_of_a_gap_leads_to_its_blocker) {
  for (const std::string_view name : run::names<run::Reason>()) {
    const auto code = name_of(code_of(*run::from_name<run::Reason>(name)));
    EXPECT_TRUE(explained(name).contains(cat("# ", code, '\n'))) << name;
  }
}

TEST(explain, whether_a_blocker_can_be_retried_is_what_the_engine_says) {
  for (const std::string_view name : run::names<run::BlockerCode>()) {
    run::Blocker blocker;
    blocker.code = *run::from_name<run::BlockerCode>(name);
    const bool is_retryable = run::Verdict{{blocker}, {}}.is_retryable();
    EXPECT_TRUE(explained(name).contains(is_retryable ? "`retryable: true`" : "`retryable: false`"))
        << name;
  }
}

TEST(explain, every_error_code_has_its_page) {
  for (const CodeInfo& info : all_codes()) {
    EXPECT_TRUE(explained(info.name).starts_with(cat("# ", info.name, '\n')));
  }
}

}  // namespace
}  // namespace baton::cli
