#include "base/json.h"
#include <gtest/gtest.h>
namespace baton::json {
TEST(json, canonical_numbers) {
  EXPECT_EQ(*canonical(*parse("[1e21,1e-7,-0,9007199254740992,5e-324,1.7976931348623157e308,0."
                              "000001,1e20, 1.5, 1e-400]")),
            "[1e+21,1e-7,0,9007199254740992,5e-324,1.7976931348623157e+308,0.000001,"
            "100000000000000000000,1.5,0]");
  EXPECT_FALSE(parse("1e400"));
  EXPECT_EQ(*canonical(*parse("{\"b\":[{}],\"a\":\"\\u20ac\\n\"}")), "{\"a\":\"€\\n\",\"b\":[{}]}");
}
}  // namespace baton::json
