#include "run/log/process.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"

namespace baton::run {
namespace {

TEST(process_noted, keeps_the_beginning_of_the_output_and_the_end_of_the_errors) {
  ProcessReport report;
  report.result = {ProcessEnd::exited, 3, "out", "err", false, false};
  const ProcessFinished small = noted({}, report);
  EXPECT_EQ(small.end, ProcessEnd::exited);
  EXPECT_EQ(small.code, 3);
  EXPECT_EQ(small.output_bytes, 3);
  EXPECT_EQ(small.output, "out");
  EXPECT_EQ(small.errors, "err");

  constexpr std::size_t most = limits::process_noted_bytes_max;
  report.result.output = std::string(most, 'a') + "b";
  report.result.errors = "x" + std::string(most, 'y');
  report.result.output_cut = true;
  const ProcessFinished large = noted({}, report);
  EXPECT_EQ(large.output, std::string(most, 'a'));
  EXPECT_EQ(large.errors, std::string(most, 'y'));
  EXPECT_EQ(large.output_bytes, static_cast<std::int64_t>(most + 1));
  EXPECT_TRUE(large.output_cut);
}

TEST(process_noted, is_always_text) {
  ProcessReport report;
  report.result.output = "a\xff";
  report.result.errors = std::string(limits::process_noted_bytes_max, '\xfe');
  report.problem = "why";
  const ProcessFinished fact = noted({}, report);
  EXPECT_EQ(fact.output, "a\\xff");
  EXPECT_EQ(fact.problem, "why");
  EXPECT_LE(fact.errors.size(), limits::process_noted_bytes_max);
}

}  // namespace
}  // namespace baton::run
