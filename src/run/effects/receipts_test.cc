#include "run/effects/receipts.h"

#include <gtest/gtest.h>

#include "base/core/effect_limits.h"
#include "base/text/text.h"
#include "run/testing/sample_run.h"

namespace baton::run {
namespace {

NodeId node_of(int number) { return testing::id_of<NodeId>(static_cast<std::uint8_t>(number)); }

std::vector<Event> made(int node, int parent) {
  NodeCreated event;
  event.node = node_of(node);
  if (parent != 0) event.parent = node_of(parent);
  return {event};
}

ProcessIntended intent(int node, std::string step = "tag") {
  ProcessIntended event;
  event.node = node_of(node);
  event.step = std::move(step);
  event.argv = {"git", "tag", "v1"};
  event.directory = "/work";
  event.environment = {{"A", "1"}};
  return event;
}

ProcessFinished end_of(int node, ProcessEnd end, std::int64_t code = 0) {
  ProcessFinished event;
  event.intended = node_of(node);
  event.end = end;
  event.code = code;
  return event;
}

/// A ledger of a run whose node 1 has the branches 2 - 3 and 4 - 5.
struct Forked {
  Forked() {
    add(made(1, 0));
    add(made(2, 1));
    add(made(3, 2));
    add(made(4, 1));
    add(made(5, 4));
  }
  void add(std::vector<Event> events) { MUST(ledger.add(events, WallMs{7})); }
  EffectLedger ledger;
};

// Enforces: G30
TEST(receipts, hash_is_of_the_step_the_words_the_folder_and_the_values) {
  const Sha256 same = MUST(effect_hash(intent(1)));
  ProcessIntended other = intent(2);
  other.timeout_ms = 5;
  other.tries = 2;
  other.runner = "another";
  EXPECT_EQ(MUST(effect_hash(other)), same) << "what is done is the same";
  const auto differs = [&](const auto& change) {
    ProcessIntended changed = intent(1);
    change(changed);
    return MUST(effect_hash(changed)) != same;
  };
  EXPECT_TRUE(differs([](ProcessIntended& e) { e.step = "outer@1::tag"; }));
  EXPECT_TRUE(differs([](ProcessIntended& e) { e.argv = {"git", "tag v1"}; }));
  EXPECT_TRUE(differs([](ProcessIntended& e) { e.directory = "/other"; }));
  EXPECT_TRUE(differs([](ProcessIntended& e) { e.environment["A"] = "2"; }));
}

// Enforces: G30
TEST(receipts, of_another_branch_are_found_by_the_step_the_newest_first) {
  Forked run;
  run.add({intent(2)});
  run.add({end_of(2, ProcessEnd::exited)});
  run.add({intent(3)});
  run.add({intent(3, "other")});
  const auto found = run.ledger.elsewhere("tag", node_of(5));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].node, node_of(3));
  EXPECT_EQ(found[0].outcome, EffectOutcome::open);
  EXPECT_EQ(found[1].outcome, EffectOutcome::succeeded);
  EXPECT_TRUE(run.ledger.elsewhere("tag", node_of(3)).empty()) << "they are on its own way";
  EXPECT_EQ(run.ledger.elsewhere("tag", node_of(2)).size(), 1u) << "below it is another branch";
}

// Enforces: G30
TEST(receipts, of_what_never_started_or_was_undone_are_in_nobodys_way) {
  for (const ProcessEnd end : {ProcessEnd::exited, ProcessEnd::signalled, ProcessEnd::timed_out,
                               ProcessEnd::stopped, ProcessEnd::unknown}) {
    Forked run;
    run.add({intent(2)});
    run.add({end_of(2, end)});
    EXPECT_EQ(run.ledger.elsewhere("tag", node_of(5)).size(), 1u) << name_of(end);
    EXPECT_EQ(run.ledger.elsewhere("tag", node_of(5))[0].is_reusable(), end == ProcessEnd::exited);
  }
  for (const ProcessEnd end : {ProcessEnd::not_found, ProcessEnd::not_started}) {
    Forked run;
    run.add({intent(2)});
    run.add({end_of(2, end)});
    EXPECT_TRUE(run.ledger.elsewhere("tag", node_of(5)).empty()) << name_of(end);
  }
}

// Enforces: G30
TEST(receipts, undo_counts_by_its_end) {
  struct {
    ProcessEnd end;
    std::int64_t code;
    UndoOutcome outcome;
  } cases[] = {{ProcessEnd::exited, 0, UndoOutcome::done},
               {ProcessEnd::exited, 1, UndoOutcome::failed},
               {ProcessEnd::not_started, 0, UndoOutcome::failed},
               {ProcessEnd::timed_out, 0, UndoOutcome::unknown},
               {ProcessEnd::signalled, 9, UndoOutcome::unknown},
               {ProcessEnd::stopped, 0, UndoOutcome::unknown},
               {ProcessEnd::unknown, 0, UndoOutcome::unknown}};
  for (const auto& each : cases) {
    Forked run;
    run.add({intent(2)});
    run.add({end_of(2, ProcessEnd::exited)});
    UndoIntended undo;
    undo.effect = node_of(2);
    undo.step = "tag";
    run.add({undo});
    EXPECT_EQ(run.ledger.receipts()[0].undone, UndoOutcome::open);
    EXPECT_FALSE(run.ledger.receipts()[0].is_reusable()) << "it may be gone";
    EXPECT_TRUE(run.ledger.receipts()[0].may_hold()) << "or not";
    UndoFinished finished;
    finished.end = each.end;
    finished.code = each.code;
    run.add({finished});
    EXPECT_EQ(run.ledger.receipts()[0].undone, each.outcome);
    EXPECT_EQ(run.ledger.receipts()[0].may_hold(), each.outcome != UndoOutcome::done);
  }
}

TEST(receipts, a_report_and_the_next_intent_at_one_node_are_two) {
  Forked run;
  EffectReported report;
  report.node = node_of(2);
  report.step = "mail";
  run.add({report, intent(2)});
  run.add({end_of(2, ProcessEnd::exited, 4)});
  ASSERT_EQ(run.ledger.receipts().size(), 2u);
  EXPECT_EQ(run.ledger.find(node_of(2), "mail")->outcome, EffectOutcome::succeeded);
  EXPECT_EQ(run.ledger.find(node_of(2), "tag")->code, 4);
  EXPECT_EQ(run.ledger.find(node_of(2), "other"), nullptr);
}

TEST(receipts, are_listed_once_with_the_newest_branch) {
  Forked run;
  run.add({intent(1, "first")});
  run.add({intent(2)});
  run.add({intent(5)});
  const auto branches = run.ledger.branches();
  ASSERT_EQ(branches.size(), 2u);
  EXPECT_EQ(branches[0].tip, node_of(5));
  ASSERT_EQ(branches[0].receipts.size(), 2u);
  EXPECT_EQ(branches[0].receipts[0]->step, "first");
  EXPECT_EQ(branches[1].tip, node_of(3));
  EXPECT_EQ(branches[1].receipts.size(), 1u);
}

TEST(receipts, say_so_much_of_what_was_done) {
  for (const std::size_t bytes :
       {limits::effect_what_bytes_max, limits::effect_what_bytes_max + 1}) {
    EffectReceipt receipt{.node = {},
                          .step = "tag",
                          .hash = {},
                          .what = std::string(bytes, 'x'),
                          .where = {},
                          .at = {}};
    const bool is_whole = receipt_text(receipt).contains(receipt.what);
    EXPECT_EQ(is_whole, bytes == limits::effect_what_bytes_max);
  }
}

}  // namespace
}  // namespace baton::run
