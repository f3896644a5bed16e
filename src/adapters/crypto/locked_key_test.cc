#include "adapters/crypto/locked_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/crypto/ed25519.h"
#include "adapters/os/repeatable.h"
#include "base/core/approval_limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

constexpr ScryptCost cheap{16, 1, 1};
constexpr std::string_view words = "correct horse";

std::string bytes_of(std::string_view hex) {
  const auto bytes = from_hex(hex).value();
  return {bytes.begin(), bytes.end()};
}

SecretKey seed_of(std::string_view hex) {
  SecretKey out;
  std::ranges::copy(from_hex(hex).value(), out.bytes.begin());
  return out;
}

LockedKey locked() {
  FixedEntropy entropy(1);
  SecretKey seed;
  entropy.fill(seed.bytes);
  return LockedKey::lock(seed, words, cheap, entropy).value();
}

TEST(ed25519, signs_as_the_test_vectors_of_rfc_8032_say) {
  struct Vector {
    std::string_view seed, key, text, signature;
  };
  const Vector vectors[] = {
      {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
       "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
       "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf"
       "9"
       "b46bd25bf5f0595bbe24655141438e7a100b"},
      {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
       "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
       "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f"
       "1"
       "1d8c387b2eaeb4302aeeb00d291612bb0c00"}};
  for (const Vector& vector : vectors) {
    const SecretKey seed = seed_of(vector.seed);
    const std::string text = bytes_of(vector.text);
    EXPECT_EQ(ed25519_public_key(seed).value(), vector.key);
    EXPECT_EQ(ed25519_sign(seed, text).value(), vector.signature);
    EXPECT_TRUE(ed25519_fits(vector.key, text, vector.signature));
  }
}

TEST(ed25519, takes_no_other_key_text_or_signature) {
  FixedEntropy entropy(5);
  SecretKey seed;
  SecretKey other;
  entropy.fill(seed.bytes);
  entropy.fill(other.bytes);
  const std::string key = ed25519_public_key(seed).value();
  const std::string signature = ed25519_sign(seed, "text").value();
  ASSERT_TRUE(Ed25519Check().fits(key, "text", signature));
  EXPECT_FALSE(Ed25519Check().fits(ed25519_public_key(other).value(), "text", signature));
  EXPECT_FALSE(Ed25519Check().fits(key, "text ", signature));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    std::string wrong = signature;
    wrong[i] = wrong[i] == '0' ? '1' : '0';
    EXPECT_FALSE(Ed25519Check().fits(key, "text", wrong)) << i;
  }
  EXPECT_FALSE(Ed25519Check().fits("", "text", signature));
  EXPECT_FALSE(Ed25519Check().fits(key, "text", ""));
  EXPECT_FALSE(Ed25519Check().fits(key, "text", signature + "00"));
  EXPECT_FALSE(Ed25519Check().fits("not hex", "text", "neither"));
}

TEST(locked_key, scrypt_gives_what_rfc_7914_says) {
  // The first 32 bytes of its vectors of 64: scrypt's output is a prefix of a longer one.
  EXPECT_EQ(to_hex(scrypt("", "", {16, 1, 1}).value().bytes),
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442");
  EXPECT_EQ(to_hex(scrypt("password", "NaCl", {1024, 8, 16}).value().bytes),
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162");
}

TEST(locked_key, scrypt_may_use_so_much_memory_and_no_more) {
  const std::int64_t n = limits::scrypt_memory_bytes_max / (128 * 8);
  EXPECT_TRUE(scrypt("x", "y", {n, 8, 1}));
  EXPECT_EQ(scrypt("x", "y", {2 * n, 8, 1}).error().code, Code::LIMIT_EXCEEDED);
  EXPECT_EQ(scrypt("x", "y", {16, 1, 1 << 21}).error().code, Code::STORE_CORRUPT);
  for (const std::int64_t wrong : {0, 1, 3, 17, -16}) {
    EXPECT_EQ(scrypt("x", "y", {wrong, 1, 1}).error().code, Code::STORE_CORRUPT) << wrong;
  }
}

TEST(locked_key, what_was_locked_comes_back_with_its_passphrase_alone) {
  FixedEntropy entropy(1);
  SecretKey seed;
  entropy.fill(seed.bytes);
  const LockedKey key = LockedKey::lock(seed, words, cheap, entropy).value();
  EXPECT_EQ(key.key(), ed25519_public_key(seed).value());
  const LockedKey read = LockedKey::parse(key.text()).value();
  EXPECT_EQ(read.text(), key.text());
  EXPECT_EQ(read.unlock(words).value().bytes, seed.bytes);
  for (const std::string_view wrong : {"correct horsf", "", "correct horse ", "Correct horse"}) {
    EXPECT_EQ(read.unlock(wrong).error().code, Code::INVALID_INPUT) << wrong;
  }
  EXPECT_THAT(key.text(), ::testing::Not(::testing::HasSubstr(to_hex(seed.bytes))));
}

TEST(locked_key, a_passphrase_has_so_many_bytes) {
  FixedEntropy entropy(1);
  const auto takes = [&](std::size_t bytes) {
    return LockedKey::lock(SecretKey(), std::string(bytes, 'x'), cheap, entropy).has_value();
  };
  EXPECT_FALSE(takes(limits::passphrase_bytes_min - 1));
  EXPECT_TRUE(takes(limits::passphrase_bytes_min));
  EXPECT_TRUE(takes(limits::passphrase_bytes_max));
  EXPECT_FALSE(takes(limits::passphrase_bytes_max + 1));
}

TEST(locked_key, two_locks_of_one_key_have_nothing_in_common) {
  FixedEntropy entropy(1);
  const SecretKey seed;
  const LockedKey one = LockedKey::lock(seed, words, cheap, entropy).value();
  const LockedKey two = LockedKey::lock(seed, words, cheap, entropy).value();
  EXPECT_EQ(one.key(), two.key());
  EXPECT_NE(one.text(), two.text());
}

// Enforces: G28
TEST(locked_key, any_digit_that_changes_is_found) {
  const std::string text = locked().text();
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    if (!is_digit) continue;
    std::string wrong = text;
    wrong[i] = text[i] == '1' ? '2' : '1';
    const auto read = LockedKey::parse(wrong);
    EXPECT_FALSE(read && read->unlock(words)) << wrong;
    ++digits;
  }
  EXPECT_GT(digits, 200u);
}

TEST(locked_key, anything_else_is_no_key) {
  const std::string text = locked().text();
  const auto code = [](std::string_view wrong) { return LockedKey::parse(wrong).error().code; };
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    EXPECT_EQ(code(std::string_view(text).substr(0, size)), Code::STORE_CORRUPT) << size;
  }
  EXPECT_EQ(code("{}"), Code::STORE_CORRUPT);
  EXPECT_EQ(code(R"({"version":2})"), Code::STORE_NEWER);
  EXPECT_EQ(code(R"({"version":0})"), Code::STORE_CORRUPT);
  std::string more = text;
  more.insert(1, R"("x":1,)");
  EXPECT_EQ(code(more), Code::STORE_CORRUPT) << "a field of no meaning";
}

}  // namespace
}  // namespace baton::adapters
