#include "base/core/ids.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/text/text.h"

namespace baton {
namespace {

using Random = std::array<std::uint8_t, 8>;

constexpr Random all_ones = {255, 255, 255, 255, 255, 255, 255, 255};

std::string message(std::string_view text) {
  const auto id = RunId::parse(text);
  return id ? "none" : id.error().message;
}

/// The instant that an id carries.
std::int64_t ms_of(const IdBytes& bytes) {
  std::int64_t ms = 0;
  for (std::size_t i = 0; i < 6; ++i) ms = ms << 8 | bytes[i];
  return ms;
}

TEST(ids, text_is_prefix_and_26_lower_case_characters) {
  EXPECT_EQ(RunId{}.text(), "run_00000000000000000000000000");
  IdBytes ones;
  ones.fill(0xFF);
  EXPECT_EQ(NodeId{ones}.text(), "node_7zzzzzzzzzzzzzzzzzzzzzzzzz");
  EXPECT_EQ((SessionId{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}.text()),
            "sess_00041061050r3gg28a1c60t3gf");
}

TEST(ids, what_does_not_name_an_id_of_the_kind_is_refused_with_the_reason) {
  EXPECT_EQ(message("run_01k7v3m2p8e6t9q4w5x0y1z2a3"), "none");
  EXPECT_EQ(message("sess_01k7v3m2p8e6t9q4w5x0y1z2a3"), "not an id: it does not start with run_");
  EXPECT_EQ(message(""), "not an id: it does not start with run_");
  EXPECT_EQ(message("RUN_01k7v3m2p8e6t9q4w5x0y1z2a3"), "not an id: it does not start with run_");
  EXPECT_EQ(message("run_"), "not an id: it has the wrong length");
  EXPECT_EQ(message("run_01k7v3m2p8e6t9q4w5x0y1z2a"), "not an id: it has the wrong length");
  EXPECT_EQ(message("run_01k7v3m2p8e6t9q4w5x0y1z2a33"), "not an id: it has the wrong length");
  EXPECT_EQ(message("run_81k7v3m2p8e6t9q4w5x0y1z2a3"), "not an id: it is out of range");
  const auto error = RunId::parse("x").error();
  EXPECT_EQ(name_of(error.code), "INVALID_ID");
  EXPECT_EQ(error.next.text(), "an id is run_ and 26 characters, as in the reply it came from");
}

TEST(ids, letters_that_look_like_digits_and_capitals_are_refused) {
  for (const char c : std::string_view("ilouABZ-_ \n\0\x80", 13)) {
    for (const std::size_t at : {4u, 5u, 17u, 29u}) {
      std::string text = "run_01k7v3m2p8e6t9q4w5x0y1z2a3";
      text[at] = c;
      EXPECT_EQ(message(text), "not an id: it has a character that ids do not use") << text;
    }
  }
}

RC_GTEST_PROP(ids, what_is_printed_is_parsed, (const IdBytes& bytes)) {
  RC_ASSERT((RunId::parse(RunId{bytes}.text())->bytes == bytes));
}

RC_GTEST_PROP(ids, text_sorts_as_bytes_do, (const IdBytes& a, const IdBytes& b)) {
  RC_ASSERT((RunId{a}.text() < RunId{b}.text()) == (a < b));
}

TEST(ids, a_new_id_is_a_uuid_of_version_7) {
  IdMaker maker;
  const IdBytes bytes = maker.next(WallMs{0x0123456789AB}, all_ones);
  EXPECT_EQ(to_hex(bytes), "0123456789ab7000bfffffffffffffff");
  EXPECT_EQ(to_hex(maker.next(WallMs{0x0123456789AB}, Random{})),
            "0123456789ab70018000000000000000");
}

TEST(ids, a_hundred_thousand_ids_of_one_millisecond_sort_by_creation) {
  IdMaker maker;
  IdBytes last{};
  for (int i = 0; i < 100'000; ++i) {
    // Falling randomness: the order must not come from it.
    const Random random = {static_cast<std::uint8_t>(255 - i % 256)};
    const IdBytes id = maker.next(WallMs{1'700'000'000'000}, random);
    ASSERT_LT(last, id) << i;
    last = id;
  }
  // 4,096 fit in an instant; the rest is borrowed from the next ones.
  EXPECT_EQ(ms_of(last), 1'700'000'000'000 + 99'999 / 4096);
}

// Enforces: G11
TEST(ids, ids_sort_by_creation_when_the_clock_jumps) {
  IdMaker maker;
  std::string last;
  for (const std::int64_t now :
       {std::int64_t{1'700'000'000'000}, std::int64_t{1'700'000'000'001}, std::int64_t{0},
        std::int64_t{-5}, INT64_MIN, std::int64_t{1'699'999'999'999},
        std::int64_t{4'000'000'000'000}, std::int64_t{1'700'000'000'002}, INT64_MAX,
        std::int64_t{1}, INT64_MAX}) {
    const std::string text = RunId{maker.next(WallMs{now}, Random{})}.text();
    EXPECT_LT(last, text) << now;
    last = text;
  }
}

// Enforces: G11
TEST(ids, a_clock_stuck_at_the_end_of_time_still_gives_rising_ids) {
  IdMaker maker;
  IdBytes last{};
  for (int i = 0; i < 20'000; ++i) {
    const IdBytes id = maker.next(WallMs{INT64_MAX}, all_ones);
    ASSERT_LT(last, id) << i;
    last = id;
  }
}

RC_GTEST_PROP(ids, ids_rise_whatever_the_clock_does, (const std::vector<std::int64_t>& clock)) {
  IdMaker maker;
  IdBytes last{};
  for (const std::int64_t now : clock) {
    const IdBytes id = maker.next(WallMs{now}, *rc::gen::arbitrary<Random>());
    RC_ASSERT((last < id));
    RC_ASSERT((id[6] & 0xF0) == 0x70);
    RC_ASSERT((id[8] & 0xC0) == 0x80);
    last = id;
  }
}

}  // namespace
}  // namespace baton
