#include "cli/config_file.h"

#include <gtest/gtest.h>

namespace baton::cli {
namespace {

std::string problem(std::string_view text) {
  const auto given = read_config(text, "c.yaml");
  if (given) return "read";
  EXPECT_EQ(given.error().code, Code::CONFIG_INVALID);
  return given.error().message;
}

TEST(config_file, a_flat_mapping_of_values_and_lists_is_read_with_its_lines) {
  const auto given =
      *read_config("# mine\ndb: /x\n\nworkflows:\n  - a\n  - 'b c'\nverbose: yes\n", "c.yaml");
  ASSERT_EQ(given.size(), 3u);
  EXPECT_EQ(given[0].name, "db");
  EXPECT_EQ(given[0].values, std::vector<std::string>{"/x"});
  EXPECT_EQ(given[0].origin, "c.yaml:2");
  EXPECT_EQ(given[1].values, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(given[1].origin, "c.yaml:4");
  EXPECT_EQ(given[2].values, std::vector<std::string>{"yes"});
}

TEST(config_file, an_empty_file_says_nothing) {
  EXPECT_TRUE(read_config("", "c.yaml")->empty());
  EXPECT_TRUE(read_config("# only a comment\n", "c.yaml")->empty());
  EXPECT_TRUE(read_config("---\n", "c.yaml")->empty());
}

TEST(config_file, what_is_not_a_flat_mapping_is_refused_with_its_line) {
  EXPECT_EQ(problem("- a\n"), "c.yaml:1: settings are written as 'name: value'");
  EXPECT_EQ(problem("a: 1\nb:\n  c: 2\n"), "c.yaml:3: 'b' takes a value or a list of values");
  EXPECT_EQ(problem("a: [[1]]\n"), "c.yaml:1: 'a' takes a value or a list of values");
  EXPECT_EQ(problem("[a]: 1\n"), "c.yaml:1: the name of a setting is a word");
  EXPECT_EQ(problem("a: 1\n\na: 2\n"), "c.yaml:3: 'a' is set twice");
  EXPECT_EQ(problem("a:\nb: 1\n"), "c.yaml:1: 'a' has no value");
}

TEST(config_file, the_dangerous_parts_of_yaml_are_refused) {
  EXPECT_EQ(problem("a: &x 1\n"), "c.yaml:1: anchors are not read here");
  EXPECT_EQ(problem("a: &x [1]\n"), "c.yaml:1: anchors are not read here");
  EXPECT_EQ(problem("&x a: 1\n"), "c.yaml:1: anchors are not read here");
  EXPECT_EQ(problem("a: 1\nb: *x\n"), "c.yaml:2: aliases are not read here");
  EXPECT_EQ(problem("a: !!str 1\n"), "c.yaml:1: tags are not read here");
  EXPECT_EQ(problem("!x\na: 1\n"), "c.yaml:1: tags are not read here");
  EXPECT_EQ(problem("%YAML 1.1\n---\na: 1\n"), "c.yaml:1: directives are not read here");
  EXPECT_EQ(problem("a: 1\n---\nb: 1\n"), "c.yaml:2: a second document is not read here");
}

TEST(config_file, text_that_is_no_yaml_is_refused_with_its_line) {
  EXPECT_EQ(problem("a: 1\nb: 'x\n").substr(0, 9), "c.yaml:3:");
  EXPECT_EQ(problem("a: \xff\n").substr(0, 7), "c.yaml:");
}

}  // namespace
}  // namespace baton::cli
