#include "cli/test_report.h"

#include <algorithm>

#include "base/json.h"
#include "base/printable.h"
#include "base/text.h"

namespace baton::cli {
namespace {

std::string indented(std::string_view text, std::string_view by) {
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += cat(end == at ? "" : by, text.substr(at, end - at), '\n');
    at = end + 1;
  }
  return out;
}

std::size_t failures(const std::vector<TestOutcome>& outcomes) {
  return static_cast<std::size_t>(std::ranges::count_if(
      outcomes, [](const TestOutcome& each) { return !each.problem.empty(); }));
}

std::string as_text(const std::vector<TestOutcome>& outcomes) {
  std::string out;
  for (const TestOutcome& each : outcomes) {
    out += cat(each.problem.empty() ? "ok    " : "FAIL  ", printable_line(each.file), ": ",
               printable_line(each.name), '\n');
    if (!each.problem.empty()) out += indented(cat(each.place, ": ", each.problem), "      ");
  }
  return out + cat(outcomes.size(), outcomes.size() == 1 ? " scenario, " : " scenarios, ",
                   failures(outcomes), " failed\n");
}

std::string as_tap(const std::vector<TestOutcome>& outcomes) {
  std::string out = cat("TAP version 14\n1..", outcomes.size(), '\n');
  std::size_t number = 0;
  for (const TestOutcome& each : outcomes) {
    std::string title;
    for (const char c : printable_line(cat(each.file, ": ", each.name))) {
      // A number sign would begin a directive.
      if (c == '#' || c == '\\') title += '\\';
      title += c;
    }
    out += cat(each.problem.empty() ? "ok " : "not ok ", ++number, " - ", title, '\n');
    if (each.problem.empty()) continue;
    out += cat("  ---\n  at: ", json::print(json::Value(each.place)), "\n  message: |\n",
               indented(each.problem, "    "), "  ...\n");
  }
  return out;
}

/// XML 1.0 has no place for most control characters, not even escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += "&#9;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += '?';
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string as_junit(const std::vector<TestOutcome>& outcomes) {
  std::string out = cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"baton\" ",
                        "tests=\"", outcomes.size(), "\" failures=\"", failures(outcomes), "\">\n");
  for (auto first = outcomes.begin(); first != outcomes.end();) {
    const auto last = std::find_if(
        first, outcomes.end(), [&](const TestOutcome& each) { return each.file != first->file; });
    const std::vector<TestOutcome> suite(first, last);
    out += cat("  <testsuite name=\"", escaped(first->file), "\" tests=\"", suite.size(),
               "\" failures=\"", failures(suite), "\">\n");
    for (const TestOutcome& each : suite) {
      out += cat("    <testcase classname=\"", escaped(each.file), "\" name=\"", escaped(each.name),
                 '"');
      if (each.problem.empty()) {
        out += "/>\n";
      } else {
        out += cat("><failure message=\"", escaped(each.problem.substr(0, each.problem.find('\n'))),
                   "\">", escaped(cat(each.place, ": ", each.problem)), "</failure></testcase>\n");
      }
    }
    out += "  </testsuite>\n";
    first = last;
  }
  return out + "</testsuites>\n";
}

}  // namespace

std::optional<TestForm> test_form(std::string_view name) {
  if (name == "text") return TestForm::text;
  if (name == "tap") return TestForm::tap;
  if (name == "junit") return TestForm::junit;
  return std::nullopt;
}

std::string print(const std::vector<TestOutcome>& outcomes, TestForm form) {
  switch (form) {
    case TestForm::text: return as_text(outcomes);
    case TestForm::tap: return as_tap(outcomes);
    case TestForm::junit: return as_junit(outcomes);
  }
  return {};
}

}  // namespace baton::cli
