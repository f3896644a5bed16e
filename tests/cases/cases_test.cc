#include <gtest/gtest.h>

#include "base/text.h"
#include "case.h"
#include "diff.h"

namespace baton::cases {
namespace {

Report run_text(std::string_view text) {
  Scene scene(Mode::inprocess, "/opt/bin/baton");
  return run_case("x.case", text, scene);
}

TEST(cases, a_case_whose_text_comes_out_passes) {
  const Report report = run_text("# shows\n$ canon\n< {\"b\":1,\"a\":2}\n> {\"a\":2,\"b\":1}\n");
  EXPECT_EQ(report.verdict, Verdict::passed) << report.text;
}

TEST(cases, a_difference_fails_with_the_file_the_line_and_a_diff) {
  const Report report = run_text("# shows\n\n$ canon\n< 1.0\n> 2\n");
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_EQ(report.text, "x.case:3: $ canon\n@@ line 4 @@\n < 1.0\n-> 2\n+> 1\n");
}

TEST(cases, a_missing_exit_code_or_message_is_a_difference) {
  EXPECT_EQ(run_text("# shows\n$ baton canon\n< x\n").verdict, Verdict::failed);
  EXPECT_EQ(run_text("# shows\n$ baton --version\nexit 1\n").verdict, Verdict::failed);
}

TEST(cases, rebaselining_changes_expectations_and_nothing_else) {
  const std::string_view text =
      "# shows\n\n# first\n$ canon\n# why this input\n< 1.0\n> 2\n> 3\n\n# second\n"
      "file a/b.txt\n| x\n|\n\n$ baton cannon\n! old\nexit 9\n\n# the end\n";
  const Report report = run_text(text);
  EXPECT_EQ(report.rebaselined,
            "# shows\n\n# first\n$ canon\n# why this input\n< 1.0\n> 1\n\n# second\n"
            "file a/b.txt\n| x\n|\n\n$ baton cannon\n! baton: there is no verb 'cannon'\n"
            "! hint: did you mean 'canon'?\nexit 2\n\n# the end\n");
  EXPECT_FALSE(report.broken);
  EXPECT_EQ(run_text(report.rebaselined).verdict, Verdict::passed);
}

TEST(cases, text_without_a_newline_at_its_end_says_so) {
  const Report report = run_text("# shows\n$ canon\n< 1\n\\ no newline\n> 1\n");
  EXPECT_EQ(report.verdict, Verdict::passed) << report.text;
  const Entry entry{EntryKind::command, 1, "$ x", {"< 1", "\\ no newline"}};
  EXPECT_EQ(command_of(entry).input, "1");
  EXPECT_EQ(expected_body(entry, {.output = "a", .errors = "", .exit = 0, .replies = {}}),
            (std::vector<std::string>{"< 1", "\\ no newline", "> a", "\\ no newline"}));
}

TEST(cases, a_case_says_first_what_it_shows) {
  EXPECT_TRUE(run_text("$ canon\n").broken);
  EXPECT_TRUE(run_text("").broken);
}

TEST(cases, a_line_without_a_place_is_named) {
  const Report report = run_text("# shows\n$ canon\n<1\n");
  EXPECT_TRUE(report.broken);
  EXPECT_EQ(report.text, "x.case: line 3: '<1' has no place here\n");
}

TEST(cases, an_unknown_directive_gets_the_nearest_one) {
  const Report report = run_text("# shows\n$ cannon\n");
  EXPECT_TRUE(report.broken);
  EXPECT_NE(report.text.find("did you mean 'canon'?"), std::string::npos);
}

TEST(cases, a_case_for_another_mode_is_skipped) {
  EXPECT_EQ(run_text("# shows\nonly binary\n$ canon\n> wrong\n").verdict, Verdict::skipped);
  EXPECT_EQ(run_text("# shows\nonly inprocess\n$ canon\n").verdict, Verdict::passed);
}

TEST(cases, files_land_in_the_scratch_directory_and_go_with_it) {
  std::filesystem::path directory;
  {
    Scene scene(Mode::inprocess, "/opt/bin/baton");
    directory = scene.directory();
    const Report report = run_case("x.case", "# shows\nfile a/b.txt\n| x\n", scene);
    EXPECT_EQ(report.verdict, Verdict::passed) << report.text;
    EXPECT_EQ(std::filesystem::file_size(directory / "a/b.txt"), 2u);
  }
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST(names, equal_tokens_have_equal_names_and_others_have_others) {
  Names names;
  const std::string one = "ack1qqqqqqqqqqqqqqqqqqqqqqqqqq";
  const std::string two = "ack1qqqqqqqqqqqqqqqqqqqqqqqqqp";
  EXPECT_EQ(names.shorten(cat(one, ' ', two, ' ', one)), "<<ack1>> <<ack2>> <<ack1>>");
  EXPECT_EQ(*names.expand("send <<ack2>>."), cat("send ", two, "."));
  EXPECT_EQ(names.expand("<<ack3>>").error().code, Code::NOT_FOUND);
}

TEST(names, ids_instants_durations_and_the_release_are_named) {
  Names names;
  names.define("dir", "/tmp/x");
  EXPECT_EQ(names.shorten("\"run_01k7v3m2p8e6t9q4w5x0y1z2a3\" at 2026-07-28T09:30:00.125Z"),
            "\"<<run1>>\" at <<time>>");
  EXPECT_EQ(names.shorten("{\"dur_ms\":17}"), "{\"dur_ms\":<<ms>>}");
  EXPECT_EQ(names.shorten("{\"elapsed_us\":17,\"elapsedUs\":8}"),
            "{\"elapsed_us\":<<us>>,\"elapsedUs\":<<us>>}");
  EXPECT_EQ(names.shorten("a 5 us b  17 us\n"), "a 5 us b  <<us>> us\n");
  EXPECT_EQ(names.shorten(cat("baton ", BATON_VERSION)), "baton <<version>>");
  EXPECT_EQ(
      names.shorten(cat(R"({"name":"baton","title":"Baton","version":")", BATON_VERSION, R"("})")),
      R"({"name":"baton","title":"Baton","version":"<<version>>"})");
  EXPECT_EQ(names.shorten("/tmp/x/y"), "<<dir>>/y");
}

TEST(names, a_capture_names_what_its_group_finds) {
  Names names;
  EXPECT_TRUE(names.capture({"port", "port (\\d+)"}, "port 4711"));
  EXPECT_EQ(names.shorten("now 4711"), "now <<port>>");
  EXPECT_FALSE(names.capture({"port", "port (\\d+)"}, "none"));
  EXPECT_FALSE(names.capture({"port", "port"}, "port"));
}

TEST(diff, only_lines_near_a_change_are_shown) {
  EXPECT_EQ(unified_diff({"a"}, {"a"}, 1), "");
  EXPECT_EQ(
      unified_diff({"1", "2", "3", "4", "5", "6", "7"}, {"1", "2", "3", "x", "5", "6", "7"}, 10),
      "@@ line 11 @@\n 2\n 3\n-4\n+x\n 5\n 6\n");
}

TEST(case_file, words_split_at_spaces_outside_quotes) {
  EXPECT_EQ(*words_of("a  'b c' \"d\"e ''"), (std::vector<std::string>{"a", "b c", "de", ""}));
  EXPECT_FALSE(words_of("'a"));
}

}  // namespace
}  // namespace baton::cases
