#include "base/text/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace baton {
namespace {

TEST(base64, the_examples_of_the_rfc_hold) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64url("\xfb\xff"), "-_8");
}

TEST(base64, what_is_not_exact_is_refused) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "Zh==", "Z", "Zm9v====", "Zm 9v", "Zm9v\n",
                           "-_8=", "=", "====", "Z===", "Zg==Zg=="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
  for (const char* text : {"Zg==", "Zh", "Z", "+/8"}) {
    EXPECT_EQ(from_base64url(text), std::nullopt) << text;
  }
}

RC_GTEST_PROP(base64, decoding_undoes_encoding, (const std::string& bytes)) {
  RC_ASSERT(from_base64(to_base64(bytes)) == bytes);
  RC_ASSERT(from_base64url(to_base64url(bytes)) == bytes);
}

RC_GTEST_PROP(base64, what_decodes_encodes_to_the_same_text, (const std::string& text)) {
  if (const auto bytes = from_base64(text)) RC_ASSERT(to_base64(*bytes) == text);
}

}  // namespace
}  // namespace baton
