#include "run/decide/hold.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"

namespace baton::run {
namespace {

RunHeld said(Hold hold, std::int64_t number = 1) {
  return {.run = {}, .number = number, .hold = hold};
}

std::string next(Hold now, Hold to, bool is_over = false) {
  RunHeld word = said(to, 0);
  const auto checked = check_hold(said(now, 7), word, is_over);
  if (!checked) return std::string(name_of(checked.error().code));
  return word.number == 8 ? "recorded" : "another number";
}

TEST(hold, every_change_that_means_something_is_recorded_with_the_next_number) {
  EXPECT_EQ(next(Hold::running, Hold::paused), "recorded");
  EXPECT_EQ(next(Hold::running, Hold::cancelled), "recorded");
  EXPECT_EQ(next(Hold::paused, Hold::cancelled), "recorded");
  EXPECT_EQ(next(Hold::paused, Hold::running), "recorded");
  EXPECT_EQ(next(Hold::cancelled, Hold::running), "recorded");
}

TEST(hold, what_changes_nothing_is_rejected) {
  EXPECT_EQ(next(Hold::running, Hold::running), "INVALID_INPUT");
  EXPECT_EQ(next(Hold::paused, Hold::paused), "INVALID_INPUT");
  EXPECT_EQ(next(Hold::cancelled, Hold::cancelled), "INVALID_INPUT");
  EXPECT_EQ(next(Hold::cancelled, Hold::paused), "INVALID_INPUT");
}

TEST(hold, a_run_that_has_ended_can_only_be_let_go) {
  EXPECT_EQ(next(Hold::running, Hold::paused, true), "INVALID_INPUT");
  EXPECT_EQ(next(Hold::running, Hold::cancelled, true), "INVALID_INPUT");
  EXPECT_EQ(next(Hold::paused, Hold::running, true), "recorded");
}

TEST(hold, reasons_and_the_number_of_holds_are_bounded) {
  RunHeld word = said(Hold::paused);
  word.reason = std::string(limits::hold_reason_bytes_max, 'x');
  EXPECT_TRUE(check_hold(said(Hold::running, 0), word, false));
  word.reason += 'x';
  EXPECT_EQ(check_hold(said(Hold::running, 0), word, false).error().code, Code::LIMIT_EXCEEDED);
  RunHeld last = said(Hold::paused);
  EXPECT_TRUE(check_hold(said(Hold::running, limits::holds_per_run_max - 1), last, false));
  EXPECT_EQ(check_hold(said(Hold::running, limits::holds_per_run_max), last, false).error().code,
            Code::LIMIT_EXCEEDED);
}

TEST(guidance, is_some_text_of_bounded_length_and_number) {
  Guidance word{.text = std::string(limits::guidance_bytes_max, 'x')};
  EXPECT_TRUE(check_guidance(0, word));
  EXPECT_EQ(word.number, 1);
  EXPECT_TRUE(check_guidance(limits::guidance_per_run_max - 1, word));
  EXPECT_EQ(word.number, limits::guidance_per_run_max);
  EXPECT_EQ(check_guidance(limits::guidance_per_run_max, word).error().code, Code::LIMIT_EXCEEDED);
  word.text += 'x';
  EXPECT_EQ(check_guidance(0, word).error().code, Code::LIMIT_EXCEEDED);
  word.text = " \n\t ";
  EXPECT_EQ(check_guidance(0, word).error().code, Code::INVALID_INPUT);
}

}  // namespace
}  // namespace baton::run
