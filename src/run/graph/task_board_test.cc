#include "run/graph/task_board.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"

namespace baton::run {
namespace {

const NodeId here{IdBytes{1, 2, 3}};
const NodeId elsewhere{IdBytes{9}};

TaskLeased lease(std::size_t item, std::int64_t until, std::int64_t attempt = 0) {
  const std::string task = task_id("s", item);
  const TaskIds ids = ids_of(here, task, attempt);
  return {RunId{}, here, task, attempt, ids.session, ids.run, WallMs{until}};
}

TaskSettled settled(std::size_t item, TaskStatus status = TaskStatus::completed,
                    std::int64_t attempt = 0, bool is_final = true) {
  TaskSettled out{.run = {}, .node = here, .task = task_id("s", item)};
  out.attempt = attempt;
  out.is_final = is_final;
  out.status = status;
  out.result = static_cast<std::int64_t>(item);
  if (status == TaskStatus::failed) {
    out.result = {};
    out.type = "agent";
    out.message = "no";
  }
  return out;
}

void take(TaskBoard& board, std::int64_t at, const Event& event) {
  board.take(WallMs{at}, std::span(&event, 1));
}

TaskPolicy with(std::optional<workflow::TaskStrategy> strategy) {
  TaskPolicy policy;
  policy.max_parallel = 2;
  policy.strategy = strategy;
  return policy;
}

TEST(task_id, is_made_of_a_step_and_a_number) {
  EXPECT_EQ(task_id("outer@1::s", 12), "outer@1::s.item12");
  const auto name = read_task_id("a.item1.item12");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->step_key, "a.item1");
  EXPECT_EQ(name->item, 12U);
  for (const char* text : {"", "s", ".item1", "s.item", "s.item-1", "s.item01", "s.item1x"}) {
    EXPECT_FALSE(read_task_id(text)) << text;
  }
}

TEST(task_ids, follow_from_the_attempt_and_look_like_others) {
  const TaskIds ids = ids_of(here, "s.item0", 0);
  EXPECT_EQ(ids, ids_of(here, "s.item0", 0));
  EXPECT_NE(ids.session, ids_of(here, "s.item0", 1).session);
  EXPECT_NE(ids.run, ids_of(here, "s.item1", 0).run);
  EXPECT_NE(ids.node, ids_of(elsewhere, "s.item0", 0).node);
  EXPECT_EQ(ids.run.bytes[6] >> 4, 7);
  EXPECT_EQ(ids.run.bytes[8] >> 6, 2);
}

TEST(task_board, lets_no_more_work_than_may) {
  TaskBoard board(here, 3, 2);
  take(board, 10, lease(0, 100));
  take(board, 11, lease(1, 110));
  take(board, 12, lease(2, 120));
  EXPECT_EQ(board.live(WallMs{12}), 2);
  EXPECT_FALSE(board.tasks()[2].lease);
  EXPECT_EQ(board.next_end(WallMs{12}), WallMs{100});
  take(board, 50, settled(0));
  take(board, 51, lease(2, 120));
  EXPECT_TRUE(board.is_live(2, WallMs{51}));
}

TEST(task_board, offers_again_what_was_not_renewed) {
  TaskBoard board(here, 2, 1);
  take(board, 10, lease(0, 100));
  EXPECT_TRUE(board.is_live(0, WallMs{99}));
  EXPECT_FALSE(board.is_live(0, WallMs{100}));
  take(board, 100, lease(1, 200));
  EXPECT_TRUE(board.is_live(1, WallMs{101}));
  // Its work still counts, and so does what it began.
  EXPECT_EQ(board.begun().size(), 2U);
  take(board, 102, settled(0));
  EXPECT_NE(board.tasks()[0].settled, nullptr);
}

TEST(task_board, keeps_a_renewed_lease) {
  TaskBoard board(here, 2, 1);
  take(board, 10, lease(0, 100));
  take(board, 60, lease(0, 160));
  EXPECT_TRUE(board.is_live(0, WallMs{120}));
  // A clock that went back shortens nothing.
  take(board, 50, lease(0, 150));
  EXPECT_TRUE(board.is_live(0, WallMs{155}));
}

TEST(task_board, counts_the_first_settlement_alone) {
  TaskBoard board(here, 1, 1);
  take(board, 1, settled(0, TaskStatus::failed));
  take(board, 2, settled(0));
  take(board, 3, lease(0, 100));
  EXPECT_EQ(board.tasks()[0].settled->status, TaskStatus::failed);
  EXPECT_EQ(board.order(), std::vector<std::size_t>{0});
  EXPECT_EQ(board.failed(), 1);
  EXPECT_EQ(board.live(WallMs{4}), 0);
}

TEST(task_board, begins_another_attempt_after_one_that_was_not_final) {
  TaskBoard board(here, 1, 1);
  take(board, 1, lease(0, 100));
  take(board, 2, settled(0, TaskStatus::failed, 0, false));
  EXPECT_EQ(board.tasks()[0].attempt, 1);
  EXPECT_EQ(board.tasks()[0].before->child, ids_of(here, "s.item0", 0).run);
  EXPECT_EQ(board.live(WallMs{3}), 0);
  take(board, 3, settled(0));  // of the attempt before
  EXPECT_EQ(board.tasks()[0].settled, nullptr);
  take(board, 4, lease(0, 100, 1));
  take(board, 5, settled(0, TaskStatus::completed, 1));
  EXPECT_TRUE(board.is_all_settled());
}

TEST(task_board, passes_over_what_is_not_its_own) {
  TaskBoard board(here, 1, 1);
  TaskLeased other = lease(0, 100);
  other.node = elsewhere;
  take(board, 1, other);
  take(board, 1, lease(1, 100));
  take(board, 1, settled(7));
  EXPECT_EQ(board.begun().size(), 0U);
  EXPECT_FALSE(board.is_all_settled());
}

TEST(task_outcome, has_results_by_item_and_writes_in_order_of_settlement) {
  TaskBoard board(here, 3, 2);
  const auto write = [](const char* name) {
    return state::Write{{state::Root::raw, {name}}, state::Operation::set, 1};
  };
  TaskSettled second = settled(1);
  second.writes = {write("b")};
  TaskSettled third = settled(2);
  third.writes = {write("c")};
  take(board, 1, third);
  take(board, 2, second);
  take(board, 3, settled(0));
  const TasksOutcome outcome = outcome_of(board, with({}), "s");
  EXPECT_EQ(outcome.results, (json::Array{0, 1, 2}));
  ASSERT_EQ(outcome.writes.size(), 2U);
  EXPECT_EQ(outcome.writes[0], write("c"));
  EXPECT_FALSE(outcome.failure);
}

TEST(task_outcome, follows_the_strategy) {
  TaskBoard board(here, 2, 2);
  take(board, 1, settled(1, TaskStatus::failed));
  using enum workflow::TaskStrategy;
  EXPECT_FALSE(is_joinable(board, with({})));
  EXPECT_FALSE(is_joinable(board, with(go_on)));
  EXPECT_TRUE(is_joinable(board, with(fail_all)));
  take(board, 2, settled(0));
  EXPECT_TRUE(is_joinable(board, with({})));
  EXPECT_EQ(outcome_of(board, with(retry_failed), "s").failure,
            "1 of 2 tasks failed: s.item1 (agent): no");
  TaskPolicy collecting = with(go_on);
  collecting.errors_path = "raw.errors";
  const TasksOutcome outcome = outcome_of(board, collecting, "s");
  EXPECT_FALSE(outcome.failure);
  EXPECT_EQ(outcome.results, (json::Array{0, json::Value()}));
  ASSERT_EQ(outcome.writes.size(), 1U);
  EXPECT_EQ(outcome.writes[0].operation, state::Operation::append);
  EXPECT_EQ(json::print(outcome.writes[0].value),
            R"({"task_id":"s.item1","index":1,"type":"agent","message":"no","attempts":1})");
}

TEST(task_policy, is_read_from_the_step) {
  workflow::Step step;
  EXPECT_EQ(task_policy(step).max_parallel, 1);
  workflow::ParallelForeach spread;
  spread.max_parallel = 4;
  spread.wait_for_all = false;
  spread.sub_agent_prompt = "do it";
  spread.on_sub_agent_error =
      workflow::TaskErrors{workflow::TaskStrategy::retry_failed, 3, {}, std::string("raw.e")};
  step.body = std::move(spread);
  step.timeout_ms = 5'000;
  const TaskPolicy policy = task_policy(step);
  EXPECT_EQ(policy.max_parallel, 4);
  EXPECT_FALSE(policy.wait_for_all);
  EXPECT_EQ(policy.timeout_ms, 5'000);
  EXPECT_EQ(policy.prompt, "do it");
  EXPECT_EQ(policy.strategy, workflow::TaskStrategy::retry_failed);
  EXPECT_EQ(policy.max_retries, 3);
  EXPECT_EQ(policy.errors_path, "raw.e");
}

// For any appends in any order and by any number of clocks: no more than may hold a lease
// at once, every task is settled at most once and stays so, and taking the log in at once or in
// pieces gives the same.
RC_GTEST_PROP(task_board, holds_under_any_log, ()) {
  const auto tasks = *rc::gen::inRange<std::size_t>(1, 6);
  const auto most = *rc::gen::inRange<std::int64_t>(1, 4);
  const auto acts = *rc::gen::inRange<std::size_t>(0, 60);
  TaskBoard board(here, tasks, most);
  std::vector<std::pair<WallMs, std::vector<Event>>> log;
  std::vector<std::shared_ptr<const TaskSettled>> seen(tasks);
  std::int64_t clock = 0;
  for (std::size_t act = 0; act < acts; ++act) {
    clock += *rc::gen::inRange<std::int64_t>(-20, 40);
    const auto item = *rc::gen::inRange<std::size_t>(0, tasks + 1);
    const auto attempt = *rc::gen::inRange<std::int64_t>(0, 3);
    std::vector<Event> events;
    if (*rc::gen::inRange(0, 3) > 0) {
      events.push_back(lease(item, clock + *rc::gen::inRange<std::int64_t>(1, 100), attempt));
    } else {
      const bool failed = *rc::gen::arbitrary<bool>();
      events.push_back(settled(item, failed ? TaskStatus::failed : TaskStatus::completed, attempt,
                               !failed || *rc::gen::arbitrary<bool>()));
    }
    log.emplace_back(WallMs{clock}, events);
    board.take(WallMs{clock}, events);
    for (const std::int64_t now : {clock, clock + 30, clock - 30}) {
      RC_ASSERT(board.live(WallMs{now}) <= most);
    }
    std::size_t final = 0;
    for (std::size_t each = 0; each < tasks; ++each) {
      const auto& now = board.tasks()[each].settled;
      RC_ASSERT(seen[each] == nullptr || seen[each] == now);
      seen[each] = now;
      final += now != nullptr ? 1 : 0;
    }
    RC_ASSERT(board.order().size() == final);
    RC_ASSERT(board.is_all_settled() == (final == tasks));
  }
  TaskBoard anew(here, tasks, most);
  for (const auto& [at, events] : log) anew.take(at, events);
  RC_ASSERT(anew == board);
}

}  // namespace
}  // namespace baton::run
