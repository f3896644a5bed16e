#include "state/frame.h"

#include <gtest/gtest.h>

#include "state/testing/schemas.h"

namespace baton::state {
namespace {

using testing::frame;
using testing::path;
using testing::value;

const std::string tiers =
    R"({"raw":{"a":1,"b":1,"c":1},"state":{"a":2,"b":2,"d":2},"computed":{"a":3,"e":3},)"
    R"("inputs":{"a":4,"f":4},"included":{"one":{"g":5,"h":5},"two":{"a":6,"g":6}}})";

std::optional<std::string> at(std::string_view text) {
  const auto found = read(frame(tiers), path(text));
  return found ? std::optional(found->print()) : std::nullopt;
}

TEST(frame, a_bare_name_is_computed_over_raw_over_state_over_inputs_over_included) {
  EXPECT_EQ(at("this.a"), "3");
  EXPECT_EQ(at("this.b"), "1");
  EXPECT_EQ(at("this.d"), "2");
  EXPECT_EQ(at("this.f"), "4");
  EXPECT_EQ(at("this.h"), "5");
  EXPECT_EQ(at("this.one.g"), "5");
  EXPECT_EQ(at("this.g"), std::nullopt);  // of two, so that neither is meant
  EXPECT_EQ(at("global.e"), "3");
}

TEST(frame, a_tier_is_read_by_its_name_and_raw_falls_back_to_inputs) {
  EXPECT_EQ(at("raw.a"), "1");
  EXPECT_EQ(at("raw.f"), "4");
  EXPECT_EQ(at("state.a"), "2");
  EXPECT_EQ(at("computed.a"), "3");
  EXPECT_EQ(at("inputs.a"), "4");
  EXPECT_EQ(at("computed.b"), std::nullopt);
  EXPECT_EQ(at("loop.item"), std::nullopt);
}

TEST(frame, the_flattened_view_has_every_field_once) {
  EXPECT_EQ(flattened(frame(tiers)).print(),
            R"({"a":3,"b":1,"c":1,"d":2,"e":3,"f":4,"h":5,"one":{"g":5,"h":5},)"
            R"("two":{"a":6,"g":6}})");
  EXPECT_EQ(at("this"), flattened(frame(tiers)).print());
}

TEST(frame, it_is_read_back_from_json) {
  EXPECT_EQ(json::print(to_json(frame(tiers))), json::print(value(tiers)));
  EXPECT_EQ(to_json(Frame()), json::Object());
  EXPECT_EQ(frame_from_json(value(R"({"raw":1})")).error().code, Code::STORE_CORRUPT);
  EXPECT_EQ(frame_from_json(value(R"({"row":{}})")).error().code, Code::STORE_CORRUPT);
}

}  // namespace
}  // namespace baton::state
