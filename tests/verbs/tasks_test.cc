// Tasks of sub-agents through the verbs: who may work, how long, and what is left after a crash
// between any two appends.

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "engine/load/find_open_step.h"
#include "engine/tasks/find_tasks.h"
#include "support/world.h"
#include "verbs/run/hold_run.h"
#include "verbs/run/next_step.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/gc.h"
#include "verbs/store/import_bundle.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using adapters::FaultyStore;
using verbs::NextStep;

constexpr std::int64_t day_ms = 86'400'000;

constexpr std::string_view spread = R"({
  "id": "spread",
  "default_state": {"raw": {"seen": [], "count": 0, "errors": []}},
  "state_schema": {"raw": {"seen": "array", "count": "integer", "errors": "array"}},
  "steps": [
    {"id": "work", "type": "parallel_foreach", "items": ["a", "b", "c"], "max_parallel": 2, OPTIONS
     "steps": [
       {"id": "do", "prompt": "Do {{ item }}."},
       {"id": "note", "type": "state_update", "path": "raw.seen", "operation": "append",
        "value": "{{ item }}"},
       {"id": "add", "type": "state_update", "path": "raw.count", "operation": "increment"}]},
    {"id": "report", "prompt": "Report."}]})";

class TasksTest : public ::testing::Test {
 protected:
  void begin(std::string_view options = "") {
    std::string text(spread);
    text.replace(text.find("OPTIONS"), 7, options);
    world.workflows.files.push_back({"project", "flows/spread.json", std::move(text), {}});
    engine::Engine engine = world.engine();
    const auto reply = surface::start(engine, world.principal,
                                      {.workflow_id = "spread",
                                       .goal = {},
                                       .context = {},
                                       .preferences = {},
                                       .workspace_path = {}});
    ASSERT_TRUE(reply) << reply.error().message;
    run = reply->reply.run.text();
  }

  static std::string id(std::size_t item) { return run::task_id("work", item); }
  static std::string step(std::size_t item) { return cat("work@", item, "::do"); }

  Result<NextStep> next(std::size_t item) {
    engine::Engine engine = world.engine();
    return verbs::next_step_of_task(engine, world.principal, run, id(item), {});
  }
  Result<NextStep> next() {
    engine::Engine engine = world.engine();
    return verbs::next_step(engine, world.principal, run, {});
  }
  Result<engine::NodeAnswer> complete(std::size_t item) {
    engine::Engine engine = world.engine();
    return verbs::complete_step_of_task(engine, world.principal,
                                        {run, step(item), notes_of(cat("did ", item))}, id(item));
  }
  /// The open step, "wait", "over", or an error's code.
  static std::string told(const Result<NextStep>& next) {
    if (!next) return std::string(name_of(next.error().code));
    if (!next->point) return next->wait_ms > 0 ? "wait" : "over";
    const auto& pending = next->point->answer.reply.pending;
    return pending ? pending->step_id : "complete";
  }
  json::Value state(std::string_view field) {
    const auto row = world.store.run(RunId::parse(run).value()).value();
    const auto tip = world.store.node(row->tip).value();
    const auto at = world.cold_state(tip->id).value();
    return at.states->at("").raw.find(field)->to_json();
  }

  World world;
  std::string run;
};

TEST_F(TasksTest, no_more_work_at_once_than_may_and_every_item_gets_its_turn) {
  begin();
  EXPECT_EQ(told(next()), "work");
  EXPECT_EQ(told(next(0)), "work@0::do");
  EXPECT_EQ(told(next(1)), "work@1::do");
  EXPECT_EQ(told(next(2)), "wait");
  ASSERT_TRUE(complete(0));
  EXPECT_EQ(told(next(0)), "over");
  EXPECT_EQ(told(next(2)), "work@2::do");
  ASSERT_TRUE(complete(2));
  ASSERT_TRUE(complete(1));
  EXPECT_EQ(told(next()), "report");
  EXPECT_EQ(json::print(state("seen")), R"(["a","c","b"])");
  EXPECT_EQ(json::print(state("count")), "3");
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

TEST_F(TasksTest, a_lease_is_renewed_by_calling_and_only_when_half_is_over) {
  begin();
  ASSERT_EQ(told(next(0)), "work@0::do");
  const auto written = world.last_commit();
  world.manual_clock.advance_ms(limits::task_lease_ms / 2);
  ASSERT_EQ(told(next(0)), "work@0::do");
  EXPECT_EQ(world.last_commit(), written);
  world.manual_clock.advance_ms(1);
  ASSERT_EQ(told(next(0)), "work@0::do");
  EXPECT_GT(world.last_commit(), written);
}

TEST_F(TasksTest, a_task_whose_lease_expired_is_offered_again_and_continues) {
  begin();
  ASSERT_EQ(told(next(0)), "work@0::do");
  ASSERT_EQ(told(next(1)), "work@1::do");
  world.manual_clock.advance_ms(limits::task_lease_ms);
  EXPECT_EQ(told(next(2)), "work@2::do");
  EXPECT_EQ(told(next(1)), "work@1::do");
  EXPECT_EQ(told(next(0)), "wait");
  // What its sub-agent did all the same counts.
  EXPECT_TRUE(complete(0));
  EXPECT_EQ(told(next(0)), "over");
}

TEST_F(TasksTest, a_waiting_caller_is_told_how_long) {
  begin();
  ASSERT_EQ(told(next(0)), "work@0::do");
  ASSERT_EQ(told(next(1)), "work@1::do");
  EXPECT_EQ(next(2).value().wait_ms, limits::task_wait_ms);
  // Until a place is free, when that is sooner.
  world.manual_clock.advance_ms(limits::task_lease_ms - limits::task_wait_ms + 1);
  EXPECT_EQ(next(2).value().wait_ms, limits::task_wait_ms - 1);
}

TEST_F(TasksTest, of_more_runs_than_are_kept_in_mind_are_all_found) {
  begin();
  ASSERT_EQ(told(next(0)), "work@0::do");
  const std::string first = run;
  for (std::size_t i = 0; i < limits::cached_boards_max; ++i) {
    world.workflows.files.pop_back();
    begin();
    ASSERT_EQ(told(next(0)), "work@0::do");
  }
  run = first;
  EXPECT_EQ(told(next(1)), "work@1::do");
  EXPECT_EQ(told(next(2)), "wait");
}

// Enforces: G24
TEST_F(TasksTest, are_held_with_the_run_they_belong_to) {
  begin();
  EXPECT_EQ(told(next(0)), step(0));
  engine::Engine engine = world.engine();
  const run::RunRow row = *world.store.run(*RunId::parse(run)).value();
  const auto child = next(0).value().point->answer.reply.run;
  const engine::RunPoint point =
      find_open_step(engine.reading(), world.principal, child.text()).value();
  const surface::SignedReply work =
      surface::sign(engine.reading(), world.principal, point.answer).value();
  ASSERT_TRUE(verbs::hold_run(engine, row, run::Hold::paused, {}));
  EXPECT_EQ(code_of(world.advance(*work.ack_token)), "RUN_PAUSED");
  EXPECT_EQ(code_of(complete(0)), "RUN_PAUSED");
  EXPECT_EQ(told(next(0)), "RUN_PAUSED");
  EXPECT_EQ(told(next(1)), "RUN_PAUSED");
  ASSERT_TRUE(verbs::hold_run(engine, row, run::Hold::running, {}));
  EXPECT_TRUE(world.advance(*work.ack_token));
  EXPECT_EQ(told(next(1)), step(1));
}

TEST_F(TasksTest, asking_again_writes_nothing) {
  begin();
  ASSERT_EQ(told(next(0)), "work@0::do");
  const auto written = world.last_commit();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(told(next(0)), "work@0::do");
    EXPECT_EQ(told(next()), "work");
  }
  EXPECT_EQ(world.last_commit(), written);
}

TEST_F(TasksTest, what_is_open_past_the_time_of_the_step_fails) {
  begin(R"("timeout_seconds": 60, "on_sub_agent_error":
           {"strategy": "continue", "error_state_path": "raw.errors"},)");
  ASSERT_EQ(told(next(1)), "work@1::do");
  ASSERT_TRUE(complete(1));
  world.manual_clock.advance_ms(59'999);
  EXPECT_EQ(told(next(0)), "work@0::do");
  world.manual_clock.advance_ms(1);
  EXPECT_EQ(told(next(2)), "over");
  EXPECT_EQ(told(next()), "report");
  EXPECT_EQ(state("errors").if_array()->size(), 2U);
  EXPECT_EQ(code_of(complete(0)), "NOT_FOUND");
}

TEST_F(TasksTest, an_agent_need_not_wait_where_the_step_says_so) {
  begin(R"("wait_for_all": false,)");
  ASSERT_EQ(told(next(0)), "work@0::do");
  ASSERT_TRUE(complete(0));
  engine::Engine engine = world.engine();
  ASSERT_TRUE(verbs::complete_step(engine, world.principal, {run, "work", notes_of("enough")}));
  EXPECT_EQ(told(next()), "report");
  EXPECT_EQ(told(next(1)), "over");
  EXPECT_EQ(json::print(state("seen")), R"(["a"])");
}

TEST_F(TasksTest, a_checkpoint_of_the_step_changes_nothing_about_its_tasks) {
  begin();
  ASSERT_EQ(told(next(0)), "work@0::do");
  engine::Engine engine = world.engine();
  ASSERT_TRUE(verbs::checkpoint_step(engine, world.principal, {run, "work", notes_of("half way")}));
  EXPECT_EQ(told(next(0)), "work@0::do");
  for (const std::size_t item : {0u, 1u, 2u}) {
    ASSERT_NE(told(next(item)), "wait");
    ASSERT_TRUE(complete(item));
  }
  EXPECT_EQ(told(next()), "report");
  EXPECT_EQ(json::print(state("count")), "3");
}

TEST_F(TasksTest, are_only_those_of_the_principal_that_started_the_run) {
  begin();
  world.principal.name = "somebody@else";
  EXPECT_EQ(told(next(0)), "NOT_FOUND");
  EXPECT_EQ(code_of(complete(0)), "NOT_FOUND");
}

/// Does everything that is left to do, as processes that come later.
void finish(World& world, const std::string& run) {
  for (int round = 0; round < 10; ++round) {
    for (std::size_t item = 0; item < 3; ++item) {
      world.forget();
      engine::Engine engine = world.engine();
      const std::string id = run::task_id("work", item);
      const auto step = verbs::next_step_of_task(engine, world.principal, run, id, {});
      if (!step || !step->point || !step->point->answer.reply.pending) continue;
      static_cast<void>(verbs::complete_step_of_task(
          engine, world.principal,
          {run, step->point->answer.reply.pending->step_id, notes_of("did it")}, id));
    }
  }
}

// Enforces: G1
TEST(tasks_after_a_crash, are_settled_once_wherever_it_came) {
  // Each append fails in turn, once before and once after it is made; then other processes go on.
  for (const auto kind : {FaultyStore::Kind::refuse, FaultyStore::Kind::commit_then_error}) {
    for (std::int64_t nth = 1; nth <= 16; ++nth) {
      World world;
      std::string text(spread);
      text.replace(text.find("OPTIONS"), 7, "");
      world.workflows.files.push_back({"project", "flows/spread.json", std::move(text), {}});
      engine::Engine engine = world.engine();
      const auto begun = surface::start(engine, world.principal,
                                        {.workflow_id = "spread",
                                         .goal = {},
                                         .context = {},
                                         .preferences = {},
                                         .workspace_path = {}});
      ASSERT_TRUE(begun);
      const std::string run = begun->reply.run.text();
      world.faulty.inject(FaultyStore::Call::append, nth, {kind, Code::STORE_FAILED});
      finish(world, run);
      world.forget();
      engine::Engine last = world.engine();
      const auto next = verbs::next_step(last, world.principal, run, {});
      ASSERT_TRUE(next) << nth;
      EXPECT_EQ(next->point->answer.reply.pending->step_id, "report") << nth;
      const json::Value seen = next->point->state->states->at("").raw.find("seen")->to_json();
      EXPECT_EQ(seen.if_array()->size(), 3U) << nth << json::print(seen);
      const auto report = verbs::verify(world.store).value();
      EXPECT_TRUE(report.ok()) << nth << report.problems.front();
    }
  }
}

TEST_F(TasksTest, go_with_the_run_they_belong_to) {
  begin();
  ASSERT_EQ(told(next(0)), "work@0::do");
  ASSERT_EQ(world.store.runs(std::nullopt, 10).value().size(), 2U);
  world.manual_clock.advance_ms(100 * day_ms);
  engine::Engine engine = world.engine();
  const auto report = verbs::gc(engine, {}).value();
  EXPECT_EQ(report.removed.size(), 1U);
  EXPECT_TRUE(world.store.runs(std::nullopt, 10).value().empty());
}

TEST_F(TasksTest, keep_the_run_they_belong_to_while_they_are_leased) {
  begin();
  ASSERT_EQ(told(next(0)), "work@0::do");
  world.manual_clock.advance_ms(100 * day_ms);
  // In the task's own run.
  engine::Engine engine = world.engine();
  const auto child = verbs::run_of_task(engine.reading(), world.principal, run, id(0)).value().run;
  const auto point =
      engine::find_open_step(engine.reading(), world.principal, child.run.text()).value();
  ASSERT_TRUE(engine::checkpoint(engine,
                                 engine::place_of(*point.answer.reply.checkpoint, point.node),
                                 {notes_of("still here")}));
  EXPECT_TRUE(verbs::gc(engine, {}).value().removed.empty());
}

TEST_F(TasksTest, begin_again_where_a_bundle_is_imported) {
  begin();
  ASSERT_EQ(told(next(0)), "work@0::do");
  ASSERT_TRUE(complete(0));
  ASSERT_EQ(told(next(1)), "work@1::do");
  const auto row = world.store.run(RunId::parse(run).value()).value();
  const std::string bundle = verbs::export_bundle(world.store, row->session).value();
  // Beside the original it is a run of its own, with tasks of its own.
  engine::Engine engine = world.engine();
  const auto imported = verbs::import_bundle(engine, bundle).value();
  EXPECT_TRUE(imported.renamed);
  const std::string original = run;
  run = imported.runs.front().text();
  EXPECT_EQ(told(next(0)), "over");
  EXPECT_EQ(told(next(1)), "work@1::do");
  ASSERT_TRUE(complete(1));
  EXPECT_EQ(told(next(2)), "work@2::do");
  ASSERT_TRUE(complete(2));
  EXPECT_EQ(told(next()), "report");
  EXPECT_EQ(json::print(state("seen")), R"(["a","b","c"])");
  run = original;
  EXPECT_EQ(told(next(1)), "work@1::do");
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

TEST_F(TasksTest, of_open_steps_have_ids_to_choose_from) {
  begin();
  const auto row = world.store.run(RunId::parse(run).value()).value();
  engine::Engine engine = world.engine();
  EXPECT_EQ(engine::open_task_ids(engine.reading(), *row).value(),
            (std::vector<std::string>{"work.item0", "work.item1", "work.item2"}));
  ASSERT_EQ(told(next(1)), "work@1::do");
  ASSERT_TRUE(complete(1));
  EXPECT_EQ(engine::open_task_ids(engine.reading(), *row).value().size(), 2U);
}

}  // namespace
}  // namespace baton::testing
