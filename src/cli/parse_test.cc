#include "cli/parse.h"

#include <gtest/gtest.h>

namespace baton::cli {
namespace {

constexpr Option options[] = {{"--one", "WORD", "takes one"},
                              {"--many", "WORD", "takes several", true},
                              {"--flag", "", "takes none"}};
constexpr Verb verb = {.name = "probe",
                       .summary = "",
                       .help = "",
                       .options = options,
                       .operand = {"THING", "a thing"},
                       .settings = {},
                       .run = nullptr};

Result<Arguments> parse(std::vector<std::string> words) { return parse_arguments(verb, words); }

TEST(parse, values_come_after_a_space_or_an_equals_sign) {
  EXPECT_EQ(parse({"--one", "a"})->options.at("--one"), std::vector<std::string>{"a"});
  EXPECT_EQ(parse({"--one=a"})->options.at("--one"), std::vector<std::string>{"a"});
}

TEST(parse, a_value_is_taken_as_it_is) {
  EXPECT_EQ(parse({"--many=[a,b]"})->options.at("--many"), std::vector<std::string>{"[a,b]"});
  EXPECT_EQ(parse({"--one=a,b c"})->options.at("--one"), std::vector<std::string>{"a,b c"});
}

TEST(parse, an_option_repeats_only_where_the_table_says_so) {
  EXPECT_EQ(parse({"--many", "a", "--many", "b"})->options.at("--many"),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parse({"--one", "a", "--one", "b"}).error().code, Code::USAGE);
}

TEST(parse, a_repeating_option_does_not_swallow_the_operand) {
  const Arguments arguments = *parse({"--many", "a", "thing"});
  EXPECT_EQ(arguments.options.at("--many"), std::vector<std::string>{"a"});
  EXPECT_EQ(arguments.operand, "thing");
}

TEST(parse, a_flag_can_be_switched_off) {
  EXPECT_TRUE(parse({"--flag"})->has("--flag"));
  EXPECT_FALSE(parse({"--flag=false"})->has("--flag"));
  EXPECT_FALSE(parse({"--flag", "--flag=0"})->has("--flag"));
  EXPECT_FALSE(parse({})->has("--flag"));
}

TEST(parse, words_after_two_dashes_are_operands) {
  EXPECT_EQ(parse({"--", "thing"})->operand, "thing");
  EXPECT_EQ(parse({"--", "-flag"})->operand, "-flag");
  EXPECT_EQ(parse({"--", "--flag"})->operand, "--flag");
  EXPECT_EQ(parse({"-"})->operand, "-");
}

TEST(parse, a_missing_value_is_refused) {
  EXPECT_EQ(parse({"--one"}).error().code, Code::USAGE);
  EXPECT_EQ(parse({"--one="}).error().code, Code::USAGE);
  EXPECT_EQ(parse({"--one", "--flag"}).error().code, Code::USAGE);
}

TEST(parse, an_unknown_flag_gets_the_nearest_one) {
  const Error error = parse({"--flga=1"}).error();
  EXPECT_EQ(error.message, "'probe' has no flag '--flga'");
  EXPECT_EQ(error.next.text(), "did you mean '--flag'?");
}

TEST(parse, what_is_wrong_is_said_in_words_of_ours) {
  EXPECT_EQ(parse({"--one"}).error().message, "'probe': --one needs a value");
  EXPECT_EQ(parse({"--one", "a", "--one=b"}).error().message,
            "'probe': --one is given 2 times, the last time as 'b'");
  EXPECT_EQ(parse({"--flag=perhaps"}).error().message,
            "'probe': --flag takes true or false, not 'perhaps'");
}

TEST(parse, a_long_flag_with_one_dash_gets_the_one_with_two) {
  const Error error = parse({"-flag"}).error();
  EXPECT_EQ(error.message, "'probe' has no flag '-flag'");
  EXPECT_EQ(error.next.text(), "did you mean '--flag'?");
  EXPECT_EQ(parse({"-hlep"}).error().message, "'probe' has no flag '-hlep'");
  EXPECT_EQ(parse({"--one", "-flag"})->options.at("--one"), std::vector<std::string>{"-flag"});
}

TEST(parse, a_second_operand_is_refused) {
  EXPECT_EQ(parse({"a", "b"}).error().message, "'probe' does not take 'b'");
}

}  // namespace
}  // namespace baton::cli
