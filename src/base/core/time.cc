#include "base/core/time.h"

#include <algorithm>

namespace baton {
namespace {

struct Date {
  std::int64_t year;
  int month;
  int day;
};

/// The civil date of a day counted from 1970-01-01 in the proleptic Gregorian calendar.
Date date_of_day(std::int64_t day) {
  // Years start in March here, so that the leap day is the last day of one.
  const std::int64_t shifted = day + 719468;  // days since 0000-03-01
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const std::int64_t day_of_era = shifted - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto march_month = static_cast<int>((5 * day_of_year + 2) / 153);
  const int month = march_month < 10 ? march_month + 3 : march_month - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          static_cast<int>(day_of_year - (153 * march_month + 2) / 5 + 1)};
}

void put(std::string& out, std::int64_t number, int width) {
  std::string digits = std::to_string(number);
  out.append(static_cast<std::size_t>(std::max<int>(0, width - static_cast<int>(digits.size()))),
             '0');
  out += digits;
}

}  // namespace

std::string to_rfc3339(WallMs instant) {
  constexpr std::int64_t day_ms = 86400000;
  const std::int64_t ms = std::clamp(instant, wall_ms_first, wall_ms_last).value;
  const std::int64_t day = (ms >= 0 ? ms : ms - (day_ms - 1)) / day_ms;
  const std::int64_t in_day = ms - day * day_ms;
  const Date date = date_of_day(day);
  std::string out;
  put(out, date.year, 4);
  out += '-';
  put(out, date.month, 2);
  out += '-';
  put(out, date.day, 2);
  out += 'T';
  put(out, in_day / 3600000, 2);
  out += ':';
  put(out, in_day / 60000 % 60, 2);
  out += ':';
  put(out, in_day / 1000 % 60, 2);
  out += '.';
  put(out, in_day % 1000, 3);
  out += 'Z';
  return out;
}

}  // namespace baton
