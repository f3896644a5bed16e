#include "protocol/testing/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"

namespace baton::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Tool tool(std::string_view input) {
  return {.name = "t",
          .title = "T",
          .description = "d",
          .input_schema = MUST(json::parse(input)),
          .output_schema = MUST(json::parse(R"({"type":"object"})"))};
}

std::vector<std::string> with_property(std::string_view property) {
  return lint(tool(cat(R"({"type":"object","properties":{"p":)", property, "}}")));
}

TEST(lint, a_plain_tool_passes) {
  EXPECT_THAT(with_property(R"({"type":"array","description":"d","items":{"type":"string"}})"),
              IsEmpty());
}

TEST(lint, names_fit_into_every_client) {
  Tool long_name = tool(R"({"type":"object"})");
  long_name.name = std::string(surface_tool_name_bytes_max, 'a');
  EXPECT_THAT(lint(long_name), IsEmpty());
  long_name.name += 'a';
  EXPECT_EQ(lint(long_name).size(), 1u);
  long_name.name = "a.b";
  EXPECT_EQ(lint(long_name).size(), 1u);
}

TEST(lint, roots_are_plain_objects) {
  EXPECT_THAT(lint(tool(R"({"type":"object","anyOf":[{"required":["a"]}]})")),
              ElementsAre("t: input schema has anyOf at its root"));
  EXPECT_THAT(lint(tool(R"({"type":"object","$defs":{}})")),
              ElementsAre("t: input schema has $defs"));
  Tool listed = tool(R"({"type":"object"})");
  listed.output_schema = MUST(json::parse(R"({"type":"array","items":{"type":"string"}})"));
  EXPECT_THAT(lint(listed), ElementsAre("t: output schema is not of type object"));
}

TEST(lint, properties_are_described_and_readable) {
  EXPECT_THAT(with_property(R"({"type":"string"})"),
              ElementsAre("t: input schema/p is not described"));
  EXPECT_THAT(with_property(R"({"type":"object","description":"d","properties":{"q":{
                               "type":"string"}}})"),
              ElementsAre("t: input schema/p/q is not described"));
  EXPECT_THAT(with_property(R"({"type":["string","null"],"description":"d"})"),
              ElementsAre("t: input schema/p names several types"));
  EXPECT_THAT(with_property(R"({"type":"array","description":"d"})"),
              ElementsAre("t: input schema/p is an array without items"));
  EXPECT_THAT(with_property(R"({"$ref":"#/x","description":"d"})"),
              ElementsAre("t: input schema/p has $ref"));
}

TEST(lint, texts_are_there_and_bearable) {
  Tool mute = tool(R"({"type":"object"})");
  mute.title.clear();
  mute.description.clear();
  EXPECT_EQ(lint(mute).size(), 2u);
  mute.title = "T";
  mute.description = std::string(limits::tool_description_bytes_max, 'd');
  EXPECT_THAT(lint(mute), IsEmpty());
  mute.description += 'd';
  EXPECT_EQ(lint(mute).size(), 1u);
}

}  // namespace
}  // namespace baton::protocol
