#include "workflow/check/diagnostic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "workflow/check/diagnostic_text.h"

namespace baton::workflow {
namespace {

using ::testing::HasSubstr;

const Sources sources = {{"flows/a.yaml", "id: a\nsteps:\n\t- prompt: \xC3\xA9 p\n  stepz: 1\n"}};

Findings sample() {
  Findings findings{sources, {}, 0};
  findings.diagnostics = {
      {Code::WORKFLOW_UNKNOWN_KEY,
       Severity::error,
       {0, 4, 3},
       "there is no key \"stepz\"",
       "did you mean \"steps\"?"},
      {Code::WORKFLOW_UNREACHABLE, Severity::warning, {0, 2, 1}, "100% never, ever: runs", ""}};
  return findings;
}

TEST(diagnostic_text, shows_the_line_with_a_caret_and_the_hint) {
  EXPECT_EQ(text_of(sample().diagnostics[0], sources),
            "flows/a.yaml:4:3: error WORKFLOW_UNKNOWN_KEY: there is no key \"stepz\"\n"
            "    stepz: 1\n"
            "    ^\n"
            "  hint: did you mean \"steps\"?\n");
}

TEST(diagnostic_text, caret_counts_characters_and_keeps_tabs) {
  const Diagnostic at_p{Code::WORKFLOW_WRONG_VALUE, Severity::error, {0, 3, 14}, "m", ""};
  EXPECT_EQ(text_of(at_p, sources),
            "flows/a.yaml:3:14: error WORKFLOW_WRONG_VALUE: m\n"
            "  \t- prompt: \xC3\xA9 p\n"
            "  \t            ^\n");
}

TEST(diagnostic_text, long_lines_are_cut_around_the_place_and_control_characters_shown) {
  const Sources long_line = {
      {"a.json", cat(std::string(5'000, 'x'), "\x1B!", std::string(900, 'y'))}};
  const Diagnostic far{Code::WORKFLOW_SYNTAX, Severity::error, {0, 1, 5'002}, "m", ""};
  const std::string text = text_of(far, long_line);
  EXPECT_LT(text.size(), 400u);
  EXPECT_THAT(text, HasSubstr("x\\u001b!y"));
  const std::size_t caret = text.find('^');
  const std::size_t line = text.rfind('\n', caret - 2);
  const std::size_t mark = text.find('!');
  EXPECT_EQ(caret - line, mark - text.rfind('\n', mark));
}

TEST(diagnostic_text, place_behind_the_end_of_the_file_has_no_line) {
  const Diagnostic end{Code::WORKFLOW_SYNTAX, Severity::error, {0, 99, 1}, "m", ""};
  EXPECT_EQ(text_of(end, sources), "flows/a.yaml:99:1: error WORKFLOW_SYNTAX: m\n");
}

TEST(diagnostic_text, json_has_every_field) {
  const json::Value out = json::parse(print(std::vector{sample()}, DiagnosticForm::json)).value();
  const json::Array& list = *out.find("diagnostics")->if_array();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(
      json::print(list[0]),
      R"({"code":"WORKFLOW_UNKNOWN_KEY","severity":"error","file":"flows/a.yaml","line":4,)"
      R"("column":3,"message":"there is no key \"stepz\"","hint":"did you mean \"steps\"?"})");
  EXPECT_EQ(list[1].find("hint"), nullptr);
}

TEST(diagnostic_text, sarif_names_the_rules_it_uses) {
  const json::Value out = json::parse(print(std::vector{sample()}, DiagnosticForm::sarif)).value();
  EXPECT_EQ(*out.find("version")->if_string(), "2.1.0");
  const json::Value& run = out.find("runs")->if_array()->at(0);
  const json::Array& rules = *run.find("tool")->find("driver")->find("rules")->if_array();
  EXPECT_EQ(rules.size(), 2u);
  const json::Value& first = run.find("results")->if_array()->at(0);
  EXPECT_EQ(*first.find("ruleId")->if_string(), "WORKFLOW_UNKNOWN_KEY");
  EXPECT_EQ(*first.find("level")->if_string(), "error");
}

TEST(diagnostic_text, github_annotations_are_escaped) {
  EXPECT_EQ(print(std::vector{sample()}, DiagnosticForm::github),
            "::error file=flows/a.yaml,line=4,col=3,title=WORKFLOW_UNKNOWN_KEY::"
            "there is no key \"stepz\"%0Adid you mean \"steps\"?\n"
            "::warning file=flows/a.yaml,line=2,col=1,title=WORKFLOW_UNREACHABLE::"
            "100%25 never, ever: runs\n");
}

TEST(diagnostic_text, forms_have_names) {
  for (const std::string_view name : diagnostic_form_names()) EXPECT_TRUE(diagnostic_form(name));
  EXPECT_FALSE(diagnostic_form("xml"));
}

TEST(diagnostics, come_in_the_order_of_the_file_and_never_twice) {
  Diagnostics all;
  all.warning(Code::WORKFLOW_UNREACHABLE, {0, 9, 1}, "late");
  EXPECT_FALSE(all.has_errors());
  all.error(Code::WORKFLOW_SYNTAX, {0, 2, 5}, "early");
  all.error(Code::WORKFLOW_SYNTAX, {0, 2, 5}, "early");
  EXPECT_TRUE(all.has_errors());
  const auto sorted = all.sorted();
  ASSERT_EQ(sorted.size(), 2u);
  EXPECT_EQ(sorted[0].message, "early");
}

// Enforces: G9
TEST(diagnostics, number_kept_is_bounded_and_the_rest_counted) {
  Diagnostics all;
  for (std::size_t i = 0; i < limits::workflow_diagnostics_max; ++i) {
    all.error(Code::WORKFLOW_SYNTAX, {0, static_cast<std::uint32_t>(i + 1), 1}, "m");
  }
  EXPECT_EQ(all.left_out(), 0u);
  all.error(Code::WORKFLOW_SYNTAX, {0, 5'000, 1}, "m");
  EXPECT_EQ(all.sorted().size(), limits::workflow_diagnostics_max);
  EXPECT_EQ(all.left_out(), 1u);
}

TEST(did_you_mean, names_the_nearest_or_nothing) {
  const std::vector<std::string> words = {"steps", "tags"};
  EXPECT_EQ(did_you_mean("stepz", words), "did you mean \"steps\"?");
  EXPECT_EQ(did_you_mean("zebra", words), "");
  EXPECT_EQ(either_of(std::vector<std::string_view>{"a", "b", "c"}), R"("a", "b" or "c")");
}

TEST(diagnostics, what_they_quote_steers_no_terminal) {
  Diagnostics diagnostics;
  diagnostics.error(Code::WORKFLOW_UNKNOWN_KEY, {}, "there is no key \"a\x1B[2J\nb\"", "\x07");
  EXPECT_EQ(diagnostics.sorted()[0].message, "there is no key \"a [2J b\"");
  EXPECT_EQ(diagnostics.sorted()[0].hint, " ");
}

}  // namespace
}  // namespace baton::workflow
