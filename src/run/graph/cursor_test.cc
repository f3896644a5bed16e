#include "run/graph/cursor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "run/testing/event_generator.h"

namespace baton::run {
namespace {

using json::Value;

std::shared_ptr<const Value> pin(Value value) {
  return std::make_shared<const Value>(std::move(value));
}

CursorFrame frame(std::int64_t iteration, std::int64_t index,
                  std::shared_ptr<const Value> pinned = {}) {
  return {.block = 0,
          .iteration = iteration,
          .index = index,
          .decision = {},
          .pinned = std::move(pinned)};
}

TEST(cursor, what_a_loop_was_entered_with_is_recorded_once) {
  const auto items = pin(json::Array{"x", "y"});
  const Cursor entered{2, {frame(0, 0, items)}};
  EXPECT_EQ(to_record({2, {}}, entered), entered);
  const Cursor later{2, {frame(1, 1, items)}};
  const Cursor recorded = to_record(entered, later);
  EXPECT_EQ(recorded, (Cursor{2, {frame(1, 1)}}));
  EXPECT_EQ(inherited(entered, recorded), later);
  EXPECT_EQ(inherited(entered, recorded).frames[0].pinned, items);
}

TEST(cursor, inner_loop_of_another_round_inherits_nothing) {
  const auto outer = pin(json::Array{1, 2});
  const auto first = pin(json::Array{"a"});
  const auto second = pin(json::Array{"a"});
  const Cursor before{0, {frame(0, 1, outer), frame(0, 0, first)}};
  const Cursor after{0, {frame(1, 1, outer), frame(0, 0, second)}};
  const Cursor recorded = to_record(before, after);
  EXPECT_EQ(recorded, (Cursor{0, {frame(1, 1), frame(0, 0, second)}}));
  EXPECT_EQ(inherited(before, recorded), after);
  // Without items of its own the inner loop of another round has none.
  EXPECT_EQ(inherited(before, {0, {frame(1, 1), frame(0, 0)}}).frames[1].pinned, nullptr);
}

TEST(cursor, another_position_or_block_inherits_nothing) {
  const Cursor parent{0, {frame(0, 0, pin(3))}};
  EXPECT_EQ(inherited(parent, {1, {frame(0, 0)}}).frames[0].pinned, nullptr);
  Cursor other_block{0, {frame(0, 0)}};
  other_block.frames[0].block = 1;
  EXPECT_EQ(inherited(parent, other_block).frames[0].pinned, nullptr);
}

TEST(cursor, equality_looks_into_what_is_pinned) {
  EXPECT_EQ(frame(0, 0, pin(1)), frame(0, 0, pin(1)));
  EXPECT_NE(frame(0, 0, pin(1)), frame(0, 0, pin(2)));
  EXPECT_NE(frame(0, 0, pin(1)), frame(0, 0));
  EXPECT_NE(frame(0, 0), frame(0, 0, pin(nullptr)));
}

// Enforces: G6
RC_GTEST_PROP(cursor, recorded_below_any_parent_comes_back, ()) {
  json::testing::ShrinkingChoices choose;
  const Cursor parent{static_cast<std::int64_t>(choose(2)), testing::any_frames(choose)};
  Cursor child{static_cast<std::int64_t>(choose(2)), testing::any_frames(choose)};
  // As a walk leaves them: a frame in the same entry of a block has what the parent's has.
  const std::size_t shared = std::min(parent.frames.size(), child.frames.size());
  bool same_above = parent.position == child.position;
  for (std::size_t i = 0; i < shared && same_above; ++i) {
    child.frames[i].block = parent.frames[i].block;
    child.frames[i].pinned = parent.frames[i].pinned;
    same_above = parent.frames[i].iteration == child.frames[i].iteration &&
                 parent.frames[i].index == child.frames[i].index;
  }
  const Cursor recorded = to_record(parent, child);
  const auto back = MUST(frames_from_json(to_json(recorded.frames)));
  RC_ASSERT(inherited(parent, {recorded.position, back}) == child);
}

}  // namespace
}  // namespace baton::run
