#include "adapters/crypto/key_ring.h"

#include <gtest/gtest.h>

#include "adapters/os/repeatable.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

constexpr std::string_view zeros =
    "0000000000000000000000000000000000000000000000000000000000000000";

std::string entry(int slot, std::string_view state, std::string_view key = zeros) {
  return cat("{\"slot\":", slot, ",\"state\":\"", state, "\",\"key\":\"", key, "\"}");
}

std::string ring_text(std::string_view entries) {
  return cat("{\"version\":1,\"keys\":[", entries, "]}");
}

std::string code_of(std::string_view text) {
  const auto ring = KeyRing::parse(text);
  return ring ? "ok" : std::string(name_of(ring.error().code));
}

TEST(key_ring, begins_with_one_current_key) {
  FixedEntropy entropy(1);
  const KeyRing ring = KeyRing::make(entropy);
  EXPECT_EQ(ring.current(), 0);
  EXPECT_EQ(ring.list(), (std::vector<KeyInfo>{{0, KeyState::current}}));
}

// docs/formats/keyring.md has the same text.
TEST(key_ring, has_a_fixed_text) {
  const std::string_view text =
      "{\"version\":1,\"keys\":[\n"
      "{\"slot\":0,\"state\":\"verify_only\",\"key\":"
      "\"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"},\n"
      "{\"slot\":1,\"state\":\"current\",\"key\":"
      "\"202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f\"}\n"
      "]}\n";
  const KeyRing ring = KeyRing::parse(text).value();
  EXPECT_EQ(ring.print().text, text);
  EXPECT_EQ(ring.current(), 1);
  EXPECT_EQ(ring.key(0)->bytes[31], 0x1f);
  EXPECT_EQ(ring.key(1)->bytes[0], 0x20);
  EXPECT_EQ(ring.key(2), nullptr);
  EXPECT_EQ(ring.key(16), nullptr);
}

TEST(key_ring, is_read_back_as_it_was_with_any_number_of_keys) {
  FixedEntropy entropy(2);
  KeyRing ring = KeyRing::make(entropy);
  for (std::size_t keys = 1; keys <= KeyRing::slots; ++keys) {
    const SecretText text = ring.print();
    EXPECT_EQ(KeyRing::parse(text.text).value().print().text, text.text);
    EXPECT_EQ(ring.list().size(), keys);
    if (keys == KeyRing::slots) break;
    EXPECT_EQ(ring.rotate(entropy).value(), keys);
  }
}

TEST(key_ring, rotation_leaves_the_old_key_to_verify) {
  FixedEntropy entropy(3);
  KeyRing ring = KeyRing::make(entropy);
  const auto old = ring.key(0)->bytes;
  EXPECT_EQ(ring.rotate(entropy).value(), 1);
  EXPECT_EQ(ring.current(), 1);
  EXPECT_EQ(ring.key(0)->bytes, old);
  EXPECT_NE(ring.key(1)->bytes, old);
  EXPECT_EQ(ring.list(),
            (std::vector<KeyInfo>{{0, KeyState::verify_only}, {1, KeyState::current}}));
}

TEST(key_ring, the_seventeenth_key_is_refused_until_one_is_retired) {
  FixedEntropy entropy(4);
  KeyRing ring = KeyRing::make(entropy);
  for (std::size_t keys = 1; keys < KeyRing::slots; ++keys) ASSERT_TRUE(ring.rotate(entropy));
  EXPECT_EQ(ring.rotate(entropy).error().code, Code::KEYS_EXHAUSTED);
  EXPECT_EQ(ring.current(), 15);
  ASSERT_TRUE(ring.retire(7));
  EXPECT_EQ(ring.rotate(entropy).value(), 7);
  EXPECT_EQ(ring.rotate(entropy).error().code, Code::KEYS_EXHAUSTED);
}

TEST(key_ring, the_current_key_and_empty_slots_cannot_be_retired) {
  FixedEntropy entropy(5);
  KeyRing ring = KeyRing::make(entropy);
  EXPECT_EQ(ring.retire(0).error().code, Code::INVALID_INPUT);
  EXPECT_EQ(ring.retire(1).error().code, Code::NOT_FOUND);
  EXPECT_EQ(ring.retire(255).error().code, Code::NOT_FOUND);
  EXPECT_EQ(ring.list().size(), 1u);
}

TEST(key_ring, damaged_text_is_refused) {
  EXPECT_EQ(code_of(ring_text(entry(0, "current"))), "ok");
  EXPECT_EQ(code_of(ring_text(entry(15, "current"))), "ok");
  const std::string upper = cat("A", zeros.substr(1));
  for (const std::string& text :
       {std::string(),
        std::string("{"),
        std::string("[]"),
        std::string(100, '\0'),
        std::string(R"({"keys":[]})"),
        std::string(R"({"version":1})"),
        ring_text(""),
        cat(R"({"version":0,"keys":[)", entry(0, "current"), "]}"),
        cat(R"({"version":"1","keys":[)", entry(0, "current"), "]}"),
        cat(R"({"version":1,"more":1,"keys":[)", entry(0, "current"), "]}"),
        ring_text(entry(0, "verify_only")),
        ring_text(entry(16, "current")),
        ring_text(entry(-1, "current")),
        ring_text(entry(0, "old")),
        ring_text(cat(entry(0, "current"), ",", entry(1, "current"))),
        ring_text(cat(entry(0, "current"), ",", entry(0, "verify_only"))),
        ring_text(entry(0, "current", "")),
        ring_text(entry(0, "current", zeros.substr(1))),
        ring_text(entry(0, "current", cat(zeros, "0"))),
        ring_text(entry(0, "current", upper)),
        ring_text(R"({"slot":0,"state":"current","key":0})"),
        ring_text(R"({"slot":0,"state":"current"})"),
        ring_text("0")}) {
    EXPECT_EQ(code_of(text), "STORE_CORRUPT") << text;
  }
}

TEST(key_ring, newer_version_is_told_apart_from_damage) {
  EXPECT_EQ(code_of(R"({"version":2,"rings":[]})"), "STORE_NEWER");
}

TEST(key_ring, size_limit_holds_on_both_sides) {
  const std::string text = ring_text(entry(0, "current"));
  const std::size_t room = limits::key_ring_bytes_max - text.size();
  EXPECT_EQ(code_of(cat(text, std::string(room, ' '))), "ok");
  EXPECT_EQ(code_of(cat(text, std::string(room + 1, ' '))), "STORE_CORRUPT");
}

// Enforces: G12
TEST(key_ring, errors_do_not_show_keys) {
  const std::string key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddee";
  for (const std::string& text :
       {ring_text(entry(0, "current", key)), ring_text(entry(0, key)),
        ring_text(cat("{\"slot\":\"", key, "\"}")), cat("{\"version\":1,\"keys\":\"", key, "\"}"),
        cat("{\"version\":1,\"keys\":[\"", key, "]")}) {
    const auto ring = KeyRing::parse(text);
    ASSERT_FALSE(ring);
    EXPECT_EQ(cat(ring.error().message, ring.error().next.text()).find(key.substr(0, 8)),
              std::string::npos);
  }
}

}  // namespace
}  // namespace baton::adapters
