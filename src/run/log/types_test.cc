// Origin: 004-6

#include "run/log/types.h"

#include <gtest/gtest.h>

#include <utility>

namespace baton::run {
namespace {

template <class Set>
void expect_names_come_back(std::initializer_list<Set> members) {
  for (const Set member : members) EXPECT_EQ(from_name<Set>(name_of(member)), member);
  EXPECT_EQ(from_name<Set>(""), std::nullopt);
  EXPECT_EQ(from_name<Set>("Guided"), std::nullopt);
  EXPECT_EQ(from_name<Set>("step "), std::nullopt);
}

TEST(closed_sets, every_member_is_found_by_its_name) {
  expect_names_come_back({NodeKind::step, NodeKind::checkpoint, NodeKind::blocked_attempt});
  expect_names_come_back({EdgeKind::acked_step, EdgeKind::checkpoint, EdgeKind::blocked_attempt});
  expect_names_come_back(
      {EdgeCause::advance, EdgeCause::non_tip_advance, EdgeCause::checkpoint_created});
  expect_names_come_back({AttemptKind::advance, AttemptKind::checkpoint});
  expect_names_come_back(
      {Autonomy::guided, Autonomy::full_auto_stop_on_user_deps, Autonomy::full_auto_never_stop});
  expect_names_come_back({RiskPolicy::conservative, RiskPolicy::balanced, RiskPolicy::aggressive});
  expect_names_come_back({RunStatus::in_progress, RunStatus::blocked, RunStatus::complete,
                          RunStatus::complete_with_gaps});
  expect_names_come_back({LoopDecision::go_on, LoopDecision::stop});
  expect_names_come_back({TraceKind::selected_next_step, TraceKind::evaluated_condition,
                          TraceKind::entered_loop, TraceKind::exited_loop});
  expect_names_come_back({TraceRefKind::step_id, TraceRefKind::loop_id, TraceRefKind::condition_id,
                          TraceRefKind::iteration});
}

TEST(closed_sets, names_are_those_of_the_format) {
  EXPECT_EQ(name_of(NodeKind::blocked_attempt), "blocked_attempt");
  EXPECT_EQ(name_of(EdgeKind::acked_step), "acked_step");
  EXPECT_EQ(name_of(EdgeCause::non_tip_advance), "non_tip_advance");
  EXPECT_EQ(name_of(AttemptKind::checkpoint), "checkpoint");
  EXPECT_EQ(name_of(LoopDecision::go_on), "continue");
  EXPECT_EQ(names<Autonomy>(),
            (std::vector<std::string_view>{"guided", "full_auto_stop_on_user_deps",
                                           "full_auto_never_stop"}));
  EXPECT_EQ(names<RiskPolicy>(),
            (std::vector<std::string_view>{"conservative", "balanced", "aggressive"}));
}

TEST(node_number, names_its_commit_and_its_place_there) {
  for (const std::int64_t commit : {1, 2, 1'000'000}) {
    for (const std::size_t place : {0u, 1u, 15u}) {
      EXPECT_EQ(NodeNo::of({commit}, place).commit(), CommitNo{commit});
    }
  }
  EXPECT_LT(NodeNo::of({1}, 15), NodeNo::of({2}, 0));
}

}  // namespace
}  // namespace baton::run
