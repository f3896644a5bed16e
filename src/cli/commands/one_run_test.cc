#include "cli/commands/one_run.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::cli {
namespace {

/// A store of so many runs. The last byte of each id is 0 but for the oldest's, where it is 1.
RunPages pages_of(std::size_t count) {
  return [count](std::optional<run::CommitNo> before, std::size_t limit) {
    std::vector<run::RunRow> out;
    std::int64_t no = before ? before->value : static_cast<std::int64_t>(count) + 1;
    while (no > 1 && out.size() < limit) {
      --no;
      run::RunRow row;
      row.last_commit = run::CommitNo{no};
      for (std::size_t byte = 0; byte < 8; ++byte) {
        row.run.bytes[byte] = static_cast<std::uint8_t>(no >> (8 * byte));
      }
      row.run.bytes[15] = no == 1 ? 1 : 0;
      out.push_back(std::move(row));
    }
    return Result<std::vector<run::RunRow>>(std::move(out));
  };
}

TEST(one_run, the_end_of_an_id_is_looked_for_among_the_newest_runs_only) {
  const auto oldest = run_by_end(pages_of(limits::short_id_runs_max), "0001");
  ASSERT_TRUE(oldest.has_value());
  EXPECT_EQ(oldest->last_commit, run::CommitNo{1});
  const auto too_old = run_by_end(pages_of(limits::short_id_runs_max + 1), "0001");
  ASSERT_FALSE(too_old.has_value());
  EXPECT_EQ(too_old.error().code, Code::NOT_FOUND);
}

TEST(one_run, two_runs_with_one_end_are_named) {
  const auto found = run_by_end(pages_of(3), "0000");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, Code::INVALID_ID);
  EXPECT_TRUE(found.error().message.contains("run_"));
}

TEST(one_run, an_end_has_a_least_number_of_characters) {
  // The case cli/short_ids shows both sides; this keeps its texts as long as the limit says.
  EXPECT_EQ(limits::short_id_characters_min, std::string_view("zzzz").size());
}

}  // namespace
}  // namespace baton::cli
