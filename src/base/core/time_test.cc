#include "base/core/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>

#include "base/text/text.h"

namespace baton {
namespace {

constexpr std::int64_t day_ms = 86'400'000;

TEST(time, instants_are_written_by_rfc_3339) {
  EXPECT_EQ(to_rfc3339(WallMs{0}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(WallMs{1}), "1970-01-01T00:00:00.001Z");
  EXPECT_EQ(to_rfc3339(WallMs{999'999'999'999}), "2001-09-09T01:46:39.999Z");
  EXPECT_EQ(to_rfc3339(WallMs{1'785'231'000'125}), "2026-07-28T09:30:00.125Z");
  EXPECT_EQ(to_rfc3339(WallMs{2'147'483'648'000}), "2038-01-19T03:14:08.000Z");
}

TEST(time, instants_before_1970_are_written) {
  EXPECT_EQ(to_rfc3339(WallMs{-1}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(to_rfc3339(WallMs{-day_ms}), "1969-12-31T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(WallMs{-day_ms - 1}), "1969-12-30T23:59:59.999Z");
  EXPECT_EQ(to_rfc3339(WallMs{-2'208'988'800'000}), "1900-01-01T00:00:00.000Z");
}

TEST(time, leap_days_are_where_the_calendar_has_them) {
  EXPECT_EQ(to_rfc3339(WallMs{951'782'400'000}), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(WallMs{1'709'164'800'000}), "2024-02-29T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(WallMs{4'107'542'399'999}), "2100-02-28T23:59:59.999Z");
  EXPECT_EQ(to_rfc3339(WallMs{4'107'542'400'000}), "2100-03-01T00:00:00.000Z");
}

TEST(time, the_first_and_last_instants_hold_on_both_sides) {
  EXPECT_EQ(to_rfc3339(wall_ms_first), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(WallMs{wall_ms_first.value + 1}), "0000-01-01T00:00:00.001Z");
  EXPECT_EQ(to_rfc3339(WallMs{wall_ms_first.value - 1}), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(wall_ms_last), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(to_rfc3339(WallMs{wall_ms_last.value - 1}), "9999-12-31T23:59:59.998Z");
  EXPECT_EQ(to_rfc3339(WallMs{wall_ms_last.value + 1}), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(to_rfc3339(WallMs{INT64_MIN}), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(WallMs{INT64_MAX}), "9999-12-31T23:59:59.999Z");
}

std::string padded(std::int64_t number, std::size_t width) {
  std::string digits = cat(number);
  return std::string(width - digits.size(), '0') + digits;
}

TEST(time, days_of_ten_thousand_years_agree_with_the_standard_library) {
  const std::int64_t first = wall_ms_first.value / day_ms;
  const std::int64_t last = wall_ms_last.value / day_ms;
  // Every day of two turns of the calendar, 1600 to 2400, and each eleventh of the other years.
  const auto step = [](std::int64_t day) { return day >= -135'140 && day < 157'054 ? 1 : 11; };
  for (std::int64_t day = first; day <= last; day += step(day)) {
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
    const std::string expected =
        cat(padded(static_cast<int>(date.year()), 4), '-',
            padded(static_cast<unsigned>(date.month()), 2), '-',
            padded(static_cast<unsigned>(date.day()), 2), "T00:00:00.000Z");
    ASSERT_EQ(to_rfc3339(WallMs{day * day_ms}), expected) << day;
  }
}

RC_GTEST_PROP(time, text_sorts_as_instants_do, (std::int64_t a, std::int64_t b)) {
  RC_PRE(a < b);
  RC_ASSERT(to_rfc3339(WallMs{a}) <= to_rfc3339(WallMs{b}));
}

}  // namespace
}  // namespace baton
