#include "run/show/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::run {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

workflow::CompiledWorkflow referring(std::string_view references) {
  workflow::CompiledWorkflow workflow;
  workflow.declared.set("references", MUST(json::parse(references)));
  return workflow;
}

constexpr std::string_view two = R"([
  {"id":"style","title":"Style","source":"docs/style.md","purpose":"How we write",
   "authoritative":true},
  {"id":"map","title":"Map","source":"map.md","purpose":"Where things are",
   "authoritative":false,"resolveFrom":"package"}])";

TEST(references, are_brief_and_say_which_to_follow) {
  EXPECT_EQ(references_text(referring(two), ""),
            "## References\n\n- Style (docs/style.md, authoritative)\n- Map (map.md)\n");
  EXPECT_EQ(references_text({}, ""), "");
}

TEST(references, those_in_the_prompt_are_not_repeated) {
  EXPECT_EQ(references_text(referring(two), "x\n- Style (docs/style.md, authoritative): why\n"),
            "## References\n\n- Map (map.md)\n");
  EXPECT_EQ(references_text(referring(two), "- Style (docs/style.md): a\n- Map (map.md): b"), "");
}

TEST(references, are_cut_at_their_limit) {
  const auto shown = [](std::size_t bytes) {
    const std::string source(bytes - std::string_view("## References\n\n- T ()\n").size(), 's');
    return references_text(referring(cat(R"([{"id":"i","title":"T","source":")", source,
                                         R"(","purpose":"p","authoritative":false}])")),
                           "");
  };
  EXPECT_THAT(shown(limits::recap_references_bytes_max), EndsWith("s)\n"));
  EXPECT_THAT(shown(limits::recap_references_bytes_max + 1), EndsWith("[TRUNCATED]"));
  EXPECT_EQ(shown(limits::recap_references_bytes_max + 1).size(),
            limits::recap_references_bytes_max);
}

TEST(references, only_those_of_the_workspace_are_looked_for_there) {
  EXPECT_THAT(workspace_references(referring(two)),
              ElementsAre(Reference{"Style", "docs/style.md"}));
  EXPECT_THAT(workspace_references({}), IsEmpty());
}

}  // namespace
}  // namespace baton::run
