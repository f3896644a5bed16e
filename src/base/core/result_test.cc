#include "base/core/result.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace baton {
namespace {

TEST(error, codes_are_unique_and_in_alphabetical_order) {
  const auto codes = all_codes();
  ASSERT_FALSE(codes.empty());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(codes[i].code), i);
    EXPECT_EQ(name_of(codes[i].code), codes[i].name);
    if (i > 0) {
      EXPECT_LT(codes[i - 1].name, codes[i].name);
    }
  }
}

TEST(error, names_are_capitals_and_meanings_are_phrases) {
  for (const CodeInfo& info : all_codes()) {
    EXPECT_EQ(info.name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
              std::string_view::npos)
        << info.name;
    EXPECT_GE(info.meaning.size(), 10u) << info.name;
    EXPECT_FALSE(info.meaning.ends_with('.')) << info.name;
  }
}

TEST(error, an_error_has_the_retry_kind_of_its_code) {
  const Error busy = Error::make(Code::STORE_BUSY, "busy", "wait");
  EXPECT_EQ(busy.retry, (Retry{RetryKind::retry_after, std::nullopt}));
  EXPECT_EQ(busy.message, "busy");
  EXPECT_EQ(busy.next.text(), "wait");
  EXPECT_EQ(Error::make(Code::INTERNAL, "").retry.kind, RetryKind::not_retryable);
  const Error later = Error::make(Code::INVALID_JSON, "").with_retry_after(250);
  EXPECT_EQ(later.retry, (Retry{RetryKind::retry_after, 250}));
  EXPECT_EQ(name_of(later.retry.kind), "retry_after");
  EXPECT_EQ(name_of(RetryKind::retry_with_changes), "retry_with_changes");
  EXPECT_EQ(name_of(RetryKind::not_retryable), "not_retryable");
}

Result<int> half(int number) {
  if (number % 2 != 0) return fail(Code::INVALID_INPUT, "odd", "send an even number");
  return number / 2;
}

Result<int> quarter(int number) { return TRY(half(TRY(half(number)))) + 0; }

TEST(result, try_passes_values_on_and_errors_up) {
  EXPECT_EQ(quarter(12), 3);
  EXPECT_EQ(quarter(10).error().message, "odd");
  EXPECT_EQ(quarter(3).error().next.text(), "send an even number");
}

Result<void> check(bool good) {
  if (!good) return fail(Code::NOT_FOUND, "bad");
  return {};
}

Result<std::string> checked(bool good) {
  TRY(check(good));
  return "good";
}

Result<std::string> halves(int number) {
  TRY(half(number));  // the value may be dropped
  return "halves";
}

Result<std::unique_ptr<int>> boxed(int number) {
  auto box = TRY(Result<std::unique_ptr<int>>(std::make_unique<int>(TRY(half(number)))));
  return box;
}

TEST(result, try_drops_and_moves_values) {
  EXPECT_EQ(*halves(2), "halves");
  EXPECT_EQ(halves(1).error().message, "odd");
  EXPECT_EQ(**boxed(4), 2);
}

TEST(result, try_works_without_a_value) {
  EXPECT_EQ(*checked(true), "good");
  EXPECT_EQ(checked(false).error().code, Code::NOT_FOUND);
}

TEST(result, must_and_assert_end_the_process_with_place_and_reason) {
  EXPECT_EQ(MUST(half(4)), 2);
  EXPECT_DEATH(std::ignore = MUST(half(3)), "result_test.cc.*half\\(3\\)(.|\n)*INVALID_INPUT: odd");
  EXPECT_DEATH(ASSERT(1 + 1 == 3), "result_test.cc.*1 \\+ 1 == 3");
}

}  // namespace
}  // namespace baton
