#include <gtest/gtest.h>

#include "base/text/text.h"
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
  EXPECT_EQ(
      expected_body(entry, {.output = "a", .errors = "", .exit = 0, .replies = {}, .answers = {}}),
      (std::vector<std::string>{"< 1", "\\ no newline", "> a", "\\ no newline"}));
}

TEST(cases, a_case_says_first_what_it_shows) {
  EXPECT_TRUE(run_text("$ canon\n").broken);
  EXPECT_TRUE(run_text("").broken);
}

TEST(cases, a_line_without_a_place_is_named) {
  const Report report = run_text("# shows\n$ canon\n<1\n");
  EXPECT_TRUE(report.broken);
  EXPECT_EQ(report.text, "x.case:3: '<1' has no place here\n");
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

constexpr std::string_view flow =
    "# shows\n"
    "file flows/two.json\n"
    "| {\"id\": \"two\", \"steps\": [{\"id\": \"plan\", \"prompt\": \"P {{ who }}.\"},\n"
    "|   {\"id\": \"do\", \"prompt\": \"Do it.\"}]}\n"
    "\n"
    "$ serve --workflows flows --db runs.db\n";

Report run_flow(std::string_view exchange) { return run_text(cat(flow, exchange)); }

TEST(calls, an_answer_is_compared_by_its_facts) {
  const std::string_view exchange =
      "call start_workflow workflow=two context={\"who\":\"Ann\"}\n"
      "  step plan -> $ack1 $st1 $chk1\n"
      "  run $run1 $sess1\n"
      "# Sent twice.\n"
      "call continue_workflow ack=$ack1 notes=\"A plan.\"\n"
      "  step do -> $ack2 $st2 $chk2\n"
      "call continue_workflow ack=$ack1 notes=\"A plan.\"\n"
      "  same answer as before\n"
      "call continue_workflow\n"
      "  error INVALID_INPUT\n";
  const Report report = run_flow(exchange);
  EXPECT_EQ(report.verdict, Verdict::passed) << report.text;
}

TEST(calls, a_wrong_fact_fails_with_a_diff) {
  const Report report = run_flow(
      "call start_workflow workflow=two\n  step do -> $ack1 $st1 $chk1\n  run $run1 $sess1\n");
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_FALSE(report.broken);
  EXPECT_NE(report.text.find("-  step do -> $ack1 $st1 $chk1\n+  step plan -> $ack1 $st1 $chk1\n"),
            std::string::npos)
      << report.text;
}

TEST(calls, a_fact_that_is_left_out_fails) {
  EXPECT_EQ(run_flow("call start_workflow workflow=two\n  run $run1 $sess1\n").verdict,
            Verdict::failed);
}

TEST(calls, rebaselining_keeps_calls_comments_and_queries) {
  const std::string_view exchange =
      "call start_workflow workflow=two context={\"who\":\"Ann\"}\n"
      "  prompt\n"
      "# Why this is queried.\n"
      "  field pending.title = \"wrong $ack9\"\n"
      "  text lacks \"$ack1\"\n"
      "call continue_workflow ack=$ack1 notes=done\n"
      "  complete\n"
      "  field no.such[0].thing\n"
      "  field pending.prompt contains \"Undo\"\n";
  const Report report = run_flow(exchange);
  EXPECT_FALSE(report.broken) << report.text;
  EXPECT_EQ(report.rebaselined, cat(flow,
                                    "call start_workflow workflow=two context={\"who\":\"Ann\"}\n"
                                    "  step plan -> $ack1 $st1 $chk1\n"
                                    "  run $run1 $sess1\n"
                                    "  prompt \"P Ann.\"\n"
                                    "# Why this is queried.\n"
                                    "  field pending.title = \"plan\"\n"
                                    "  text contains \"$ack1\"\n"
                                    "call continue_workflow ack=$ack1 notes=done\n"
                                    "  step do -> $ack2 $st2 $chk2\n"
                                    "  field no.such[0].thing = absent\n"
                                    "  field pending.prompt lacks \"Undo\"\n"));
  EXPECT_EQ(run_text(report.rebaselined).verdict, Verdict::passed);
}

TEST(calls, the_whole_text_is_shown_where_it_is_queried) {
  const Report report = run_flow("call continue_workflow\n  text\n  | Old.\n");
  EXPECT_NE(report.rebaselined.find("  error INVALID_INPUT\n  text\n  | INVALID_INPUT: "),
            std::string::npos)
      << report.rebaselined;
  EXPECT_EQ(report.rebaselined.find("Old."), std::string::npos);
  EXPECT_EQ(run_text(report.rebaselined).verdict, Verdict::passed);
}

TEST(calls, what_cannot_be_read_is_named_with_file_and_line) {
  const Report fact = run_flow("call start_workflow workflow=two\n  feild a = 1\n");
  EXPECT_TRUE(fact.broken);
  EXPECT_EQ(fact.text, "x.case:8: there is no fact or query 'feild'; did you mean 'field'?\n");
  const Report argument = run_flow("call start_workflow two\n");
  EXPECT_TRUE(argument.broken);
  EXPECT_NE(argument.text.find("x.case:6: "), std::string::npos);
  EXPECT_NE(argument.text.find("an argument reads name=value: two"), std::string::npos);
  const Report token = run_flow("call continue_workflow ack=$ack7\n");
  EXPECT_NE(token.text.find("<<ack7>> has not been seen yet"), std::string::npos);
}

TEST(calls, a_raw_message_belongs_below_protocol) {
  const std::string text = cat(flow, "--> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
                               "<-- {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  const Report report = run_text(text);
  EXPECT_TRUE(report.broken);
  EXPECT_EQ(report.text, "x.case:7: raw messages belong below protocol/; write a call here\n");
  Scene scene(Mode::inprocess, "/opt/bin/baton");
  EXPECT_EQ(run_case("tests/cases/protocol/x.case", text, scene).verdict, Verdict::passed);
}

TEST(calls, short_arguments_map_to_those_of_the_tool) {
  const CallLine rail = *parse_call(
      R"(call continue_workflow ack=ack1x notes="a b" artifacts=[{"kind":"k"}] autonomy=guided)");
  EXPECT_EQ(json::print(rail.params),
            R"({"name":"continue_workflow","arguments":{"ackToken":"ack1x","output":)"
            R"({"notesMarkdown":"a b","artifacts":[{"kind":"k"}]},)"
            R"("preferences":{"autonomy":"guided"}}})");
  EXPECT_EQ(json::print(parse_call("call workflow_start workflow=w a.b=true")->params),
            R"({"name":"workflow_start","arguments":{"workflow":"w","a":{"b":true}}})");
  EXPECT_EQ(json::print(parse_call(R"(call start_workflow args={"workflow":"w"})")->params),
            R"({"name":"start_workflow","arguments":{"workflow":"w"}})");
  EXPECT_EQ(parse_call("request prompts/get name=plan")->message(3),
            R"({"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"plan"}})");
  EXPECT_FALSE(parse_call("call start_workflow context={"));
}

TEST(directives, log_and_verify_are_cut_to_what_matters) {
  const Report report = run_flow(
      "call start_workflow workflow=two\n"
      "\n"
      "$ log <<run1>> --db runs.db --full node_created\n"
      "$ verify --db runs.db\n");
  EXPECT_NE(report.rebaselined.find("> 2 run_started workflow=two\n"
                                    "> 3 node_created {\"node\":\"<<node1>>\""),
            std::string::npos)
      << report.rebaselined;
  EXPECT_NE(report.rebaselined.find("$ verify --db runs.db\n> ok: 1 commit, "), std::string::npos)
      << report.rebaselined;
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
