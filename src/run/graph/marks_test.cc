#include "run/graph/marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace baton::run {
namespace {

using ::testing::ElementsAre;

const RunId the_run{};
const NodeId before{IdBytes{1}};
const NodeId here{IdBytes{2}};

NodeCreated created(NodeKind kind, std::string settled, std::vector<std::string> open) {
  NodeCreated out;
  out.run = the_run;
  out.node = here;
  out.parent = before;
  out.kind = kind;
  out.settled_step = std::move(settled);
  out.open_steps = std::move(open);
  return out;
}

AdvanceRecorded advance(std::string step) {
  AdvanceRecorded out;
  out.run = the_run;
  out.node = before;
  out.to = here;
  out.step = std::move(step);
  return out;
}

StepFailed failed(std::string step, Consequence consequence) {
  return {the_run, here, {std::move(step), "agent", "no luck"}, consequence};
}

NodeMark mark(const std::vector<Event>& events) { return mark_of(events, here); }

TEST(marks, the_first_node_is_the_start) {
  NodeCreated root = created(NodeKind::step, "", {"plan"});
  root.parent.reset();
  EXPECT_EQ(mark({root}).mark, StepMark::start);
  EXPECT_EQ(mark({root}).step, "");
}

TEST(marks, a_settled_step_is_done) {
  const NodeMark done = mark({created(NodeKind::step, "plan", {"do"}), advance("plan")});
  EXPECT_EQ(done.mark, StepMark::done);
  EXPECT_EQ(done.step, "plan");
  EXPECT_EQ(done.run_state, RunState::running);
}

TEST(marks, a_failed_step_stays_failed) {
  for (const Consequence consequence :
       {Consequence::go_on, Consequence::fail, Consequence::restart}) {
    const NodeMark found =
        mark({created(NodeKind::step, "plan", {"tell"}), failed("plan", consequence)});
    EXPECT_EQ(found.mark, StepMark::failed);
    EXPECT_EQ(found.step, "plan");
    EXPECT_EQ(found.failure->consequence, consequence);
  }
  const NodeMark again = mark({created(NodeKind::blocked_attempt, "", {"plan"}), advance("plan"),
                               failed("plan", Consequence::retry)});
  EXPECT_EQ(again.mark, StepMark::failed);
}

TEST(marks, the_step_that_tells_of_a_failure_is_done_though_the_run_fails_there) {
  const NodeMark told = mark({created(NodeKind::step, "tell", {}), advance("tell"),
                              RunStateChanged{the_run, here, RunState::failed, "no luck"}});
  EXPECT_EQ(told.mark, StepMark::done);
  EXPECT_EQ(told.step, "tell");
  EXPECT_EQ(told.run_state, RunState::failed);
  EXPECT_EQ(told.reason, "no luck");
}

TEST(marks, an_attempt_that_did_not_pass_is_blocked_and_names_its_step) {
  const NodeMark blocked = mark({created(NodeKind::blocked_attempt, "", {"do"}), advance("do")});
  EXPECT_EQ(blocked.mark, StepMark::blocked);
  EXPECT_EQ(blocked.step, "do");
}

TEST(marks, a_command_with_unknown_result_is_neither_done_nor_failed) {
  ProcessFinished finished;
  finished.run = the_run;
  finished.node = here;
  const NodeMark unknown =
      mark({created(NodeKind::blocked_attempt, "", {"build"}), advance("build"), finished});
  EXPECT_EQ(unknown.mark, StepMark::unknown_end);
  EXPECT_EQ(unknown.step, "build");
  finished.end = ProcessEnd::exited;
  EXPECT_EQ(mark({created(NodeKind::step, "build", {}), advance("build"), finished}).mark,
            StepMark::done);
}

TEST(marks, a_checkpoint_has_no_such_mark_unless_it_ends_or_reopens_the_run) {
  const NodeCreated saved = created(NodeKind::checkpoint, "", {"do"});
  EXPECT_EQ(mark({saved}).mark, StepMark::checkpoint);
  EXPECT_EQ(mark({saved, RunStateChanged{the_run, here, RunState::abandoned, ""}}).mark,
            StepMark::ended);
  EXPECT_EQ(mark({saved, RunStateChanged{the_run, here, RunState::running, ""}}).mark,
            StepMark::reopened);
}

TEST(marks, steps_that_were_passed_are_skipped) {
  const auto entry = [](std::string step, std::string field, std::string summary) {
    return TraceEntry{
        TraceKind::evaluated_condition,
        std::move(summary),
        {{TraceRefKind::condition_id, step + "." + field}, {TraceRefKind::step_id, step}}};
  };
  const DecisionTraceAppended trace{the_run,
                                    here,
                                    {entry("a", "runCondition", "a.runCondition: x is false"),
                                     entry("b", "runCondition", "b.runCondition: x is true"),
                                     entry("c", "condition", "c.condition: x is false"),
                                     {TraceKind::evaluated_condition,
                                      "the step \"d\" has no items: it is passed",
                                      {{TraceRefKind::step_id, "d"}}}}};
  EXPECT_THAT(mark({created(NodeKind::step, "plan", {"b"}), trace}).skipped, ElementsAre("a", "d"));
}

TEST(marks, what_other_nodes_of_a_commit_did_does_not_count) {
  StepFailed other = failed("plan", Consequence::fail);
  other.node = before;
  EXPECT_EQ(mark({created(NodeKind::step, "plan", {}), other}).mark, StepMark::done);
}

}  // namespace
}  // namespace baton::run
