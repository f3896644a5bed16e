#include "workflow/read/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"
#include "base/testing/json_generator.h"
#include "base/text/text.h"
#include "workflow/check/diagnostic_text.h"

namespace baton::workflow {
namespace {

using ::testing::HasSubstr;

/// The document as JSON, or its diagnostics as "line:column CODE message" lines.
std::string read(std::string_view name, std::string_view text) {
  Diagnostics diagnostics;
  const SourceText source{std::string(name), std::string(text)};
  const auto node = read_source(source, 0, diagnostics);
  if (node && !diagnostics.has_errors()) return json::print(node->to_json());
  std::string out;
  for (const Diagnostic& each : diagnostics.sorted()) {
    out += cat(each.at.line, ':', each.at.column, ' ', name_of(each.code), ' ', each.message, '\n');
  }
  EXPECT_FALSE(out.empty());
  return out;
}

std::string yaml(std::string_view text) { return read("w.yaml", text); }

TEST(read_yaml, scalars_are_those_of_the_core_schema_of_1_2) {
  EXPECT_EQ(yaml("[null, ~, '', true, False, 7, -7, +7, 0x1F, 0o17, 1.5, -.5, 1e3, 5.]"),
            R"([null,null,"",true,false,7,-7,7,31,15,1.5,-0.5,1000,5])");
  EXPECT_EQ(
      yaml("[no, yes, on, off, y, N, 12:30, 1_000, 0xyz, 1.2.3, '7', \"true\", -, e3, .]"),
      R"(["no","yes","on","off","y","N","12:30","1_000","0xyz","1.2.3","7","true","-","e3","."])");
  EXPECT_EQ(yaml("a: 9223372036854775807\nb: -9223372036854775808\nc: 9223372036854775808"),
            R"({"a":9223372036854775807,"b":-9223372036854775808,"c":9223372036854776000})");
}

TEST(read_yaml, what_readers_disagree_on_is_refused) {
  EXPECT_THAT(yaml("a: 010"), HasSubstr("1:4 WORKFLOW_YAML_UNSUPPORTED a number with a leading"));
  EXPECT_THAT(yaml("a: .inf"), HasSubstr("finite"));
  EXPECT_THAT(yaml("a: -.INF"), HasSubstr("finite"));
  EXPECT_THAT(yaml("a: .nan"), HasSubstr("finite"));
  EXPECT_THAT(yaml("a: 1e999"), HasSubstr("out of range"));
  EXPECT_THAT(yaml("a: 0xFFFFFFFFFFFFFFFFFF"), HasSubstr("too large"));
}

TEST(read_yaml, anchors_aliases_tags_directives_and_second_documents_are_refused) {
  EXPECT_EQ(yaml("a: 1\nb: x\x1B[2J"), "2:5 WORKFLOW_SYNTAX control characters are not allowed\n");
  EXPECT_EQ(yaml("a: &x 1\nb: 2"), "1:4 WORKFLOW_YAML_UNSUPPORTED anchors are not read\n");
  EXPECT_EQ(yaml("a: 1\nb: *x"), "2:4 WORKFLOW_YAML_UNSUPPORTED aliases are not read\n");
  EXPECT_EQ(yaml("a: !!str 1"), "1:4 WORKFLOW_YAML_UNSUPPORTED tags are not read\n");
  EXPECT_EQ(yaml("a: ! 1"), "1:4 WORKFLOW_YAML_UNSUPPORTED tags are not read\n");
  EXPECT_THAT(yaml("%YAML 1.1\n---\na: 1"), HasSubstr("directives"));
  EXPECT_THAT(yaml("a: 1\n---\nb: 2"), HasSubstr("second document"));
  EXPECT_THAT(yaml("? [a]\n: 1"), HasSubstr("a key must be a word"));
}

TEST(read_yaml, every_duplicate_key_is_reported_at_its_own_place) {
  EXPECT_EQ(yaml("a: 1\nb:\n  c: 1\n  c: 2\na: 2"),
            "4:3 WORKFLOW_DUPLICATE_KEY the key \"c\" occurs twice\n"
            "5:1 WORKFLOW_DUPLICATE_KEY the key \"a\" occurs twice\n");
  std::string many;
  for (int i = 0; i < 40; ++i) many += cat("k", i, ": 0\n");
  EXPECT_THAT(yaml(many + "k7: 1"), HasSubstr("41:1 WORKFLOW_DUPLICATE_KEY"));
}

TEST(read_yaml, text_that_is_not_yaml_says_where) {
  EXPECT_THAT(yaml("a: [1, 2\nb: 3\n"), HasSubstr("2:"));
  EXPECT_THAT(yaml("a: 'x"), HasSubstr("WORKFLOW_SYNTAX"));
  EXPECT_THAT(yaml("a: \xFF"), HasSubstr("WORKFLOW_SYNTAX"));
  EXPECT_THAT(yaml(std::string_view("a: b\0c", 6)), HasSubstr("WORKFLOW_SYNTAX"));
  EXPECT_EQ(yaml(""), "null");
}

TEST(read_json, places_are_lines_and_characters) {
  Diagnostics diagnostics;
  const SourceText source{"w.json", "{\n \"\xC3\xA9\xC3\xA9\": [1,\n  {\"b\": null}]}"};
  const auto node = read_source(source, 3, diagnostics);
  ASSERT_TRUE(node);
  const SyntaxNode& list = node->children.at(0);
  EXPECT_EQ(list.key_at, (SourcePlace{3, 2, 2}));
  EXPECT_EQ(list.at, (SourcePlace{3, 2, 8}));
  EXPECT_EQ(list.children.at(0).at, (SourcePlace{3, 2, 9}));
  EXPECT_EQ(list.children.at(1).children.at(0).key_at, (SourcePlace{3, 3, 4}));
  EXPECT_EQ(list.children.at(1).children.at(0).at, (SourcePlace{3, 3, 9}));
}

TEST(read_json, mistakes_have_places) {
  EXPECT_EQ(read("w.json", "{\"a\": 1,\n \"a\": 2}"),
            "2:2 WORKFLOW_DUPLICATE_KEY the key \"a\" occurs twice\n");
  EXPECT_EQ(read("w.json", "{\"a\": \n tru}"), "2:2 WORKFLOW_SYNTAX expected a value\n");
  EXPECT_EQ(read("w.json", "{\"a\": \"x"), "1:7 WORKFLOW_SYNTAX the string has no end\n");
}

TEST(read_markdown, front_matter_and_body_have_the_places_of_the_file) {
  const std::string_view text = "---\nname: x\nname: y\n---\n\n# Title\n\nText.\n";
  EXPECT_THAT(read("w.md", text), HasSubstr("3:1 WORKFLOW_DUPLICATE_KEY"));
  EXPECT_EQ(read("w.md", "---\nname: x\n---\n\n# Title\n\nText.\n"),
            R"({"name":"x","body":"# Title\n\nText."})");
  EXPECT_EQ(read("w.md", "---\r\nname: x\r\n---\r\n"), R"({"name":"x"})");
  EXPECT_EQ(read("w.md", "---\n---\nOnly text"), R"({"body":"Only text"})");
}

TEST(read_markdown, file_without_front_matter_is_refused) {
  EXPECT_THAT(read("w.md", "# Title\n"), HasSubstr("does not begin with front matter"));
  EXPECT_THAT(read("w.md", ""), HasSubstr("does not begin with front matter"));
  EXPECT_THAT(read("w.md", "---\nname: x\n"), HasSubstr("has no end"));
  EXPECT_THAT(read("w.md", "---\n- x\n---\n"), HasSubstr("must be keys"));
  EXPECT_THAT(read("w.md", "---\nbody: x\n---\nmore"), HasSubstr("WORKFLOW_DUPLICATE_KEY"));
  EXPECT_THAT(read("w.md", "---\na: b\n---\n\xFF"), HasSubstr("4:1 WORKFLOW_SYNTAX"));
}

TEST(read_source, ending_says_the_format) {
  EXPECT_EQ(read("a/b.yml", "a: 1"), R"({"a":1})");
  EXPECT_THAT(read("a.txt", "a: 1"), HasSubstr("no known extension"));
}

// Enforces: G9
TEST(read_source, size_is_bounded) {
  for (const std::string_view name : {"w.yaml", "w.json"}) {
    std::string text = name == "w.json" ? "{}" : "a: 1";
    text.resize(limits::workflow_bytes_max, ' ');
    EXPECT_THAT(read(name, text), ::testing::Not(HasSubstr("LIMIT"))) << name;
    EXPECT_THAT(read(name, text + " "), HasSubstr("1:1 LIMIT_EXCEEDED")) << name;
  }
}

// Enforces: G9
TEST(read_source, depth_is_bounded) {
  constexpr std::size_t most = limits::workflow_depth_max;
  for (const std::string_view name : {"w.yaml", "w.json"}) {
    const auto nested = [&](std::size_t depth) {
      return read(name, cat(std::string(depth, '['), '1', std::string(depth, ']')));
    };
    EXPECT_THAT(nested(most), ::testing::StartsWith("[[[")) << name;
    EXPECT_EQ(nested(most + 1),
              cat("1:", most + 1, " LIMIT_EXCEEDED nested deeper than ", most, " levels\n"));
    EXPECT_THAT(nested(100'000), HasSubstr("LIMIT_EXCEEDED")) << name;
  }
}

// Enforces: G9
TEST(read_source, number_of_values_is_bounded) {
  const auto many = [](std::string_view name, std::size_t values) {
    std::string text = "[1";
    for (std::size_t i = 2; i < values; ++i) text += ",1";
    return read(name, text + "]");
  };
  for (const std::string_view name : {"w.yaml", "w.json"}) {
    EXPECT_THAT(many(name, limits::workflow_nodes_max), ::testing::StartsWith("[1,1"));
    EXPECT_THAT(many(name, limits::workflow_nodes_max + 1), HasSubstr("LIMIT_EXCEEDED more than"));
  }
}

/// JSON is a part of YAML: the same text means the same in both, where both can read it.
RC_GTEST_PROP(read_source, json_text_means_the_same_as_yaml, (const json::Value& value)) {
  const std::string text = json::print(value);
  // libyaml takes no characters that YAML does not call printable.
  RC_PRE(text.find("\x7F") == std::string::npos);
  Diagnostics diagnostics;
  const auto as_json = read_source({"w.json", text}, 0, diagnostics);
  RC_PRE(!diagnostics.has_errors());
  const auto as_yaml = read_source({"w.yaml", text}, 0, diagnostics);
  RC_PRE(!diagnostics.has_errors());
  RC_ASSERT(as_yaml->to_json() == as_json->to_json());
  RC_ASSERT(as_json->to_json() == value);
}

}  // namespace
}  // namespace baton::workflow
