#include "base/core/sha256.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

TEST(sha256, the_vectors_of_fips_180) {
  EXPECT_EQ(sha256("").hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')).hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(sha256, bytes_of_every_value_count) {
  using std::string_view_literals::operator""sv;
  EXPECT_NE(sha256("a\0b"sv), sha256("a"sv));
  EXPECT_EQ(sha256(std::string_view()), sha256(""));
}

TEST(sha256, digests_read_back_from_hexadecimal) {
  const Sha256 digest = sha256("abc");
  EXPECT_EQ(Sha256::from_hex(digest.hex()), digest);
  EXPECT_EQ(Sha256::from_hex(""), std::nullopt);
  EXPECT_EQ(Sha256::from_hex(digest.hex().substr(2)), std::nullopt);
  EXPECT_EQ(Sha256::from_hex(digest.hex() + "00"), std::nullopt);
  std::string upper = digest.hex();
  upper[0] = 'B';
  EXPECT_EQ(Sha256::from_hex(upper), std::nullopt);
}

}  // namespace
}  // namespace baton
