// Snapshots that cannot be trusted are skipped: the path is folded from further up, and the next
// append of the run stores what was folded.

#include <gtest/gtest.h>

#include <functional>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "support/world.h"

namespace baton::testing {
namespace {

using surface::SignedReply;

/// A store whose snapshots were changed, and which notes what replaces them.
class ChangedSnapshots final : public adapters::FaultyStore {
 public:
  explicit ChangedSnapshots(ports::EventStore& inner) : FaultyStore(inner) {}

  Result<std::optional<run::StoredSnapshot>> snapshot(run::NodeNo node) override {
    auto stored = TRY(FaultyStore::snapshot(node));
    if (stored && !replaced.contains(node)) change(node, stored);
    asked += stored ? 1 : 0;
    return stored;
  }

  Result<ports::AppendOutcome> append(run::CommitDraft append) override {
    for (const auto& [node, text] : append.reseal) replaced[node] = text;
    return FaultyStore::append(std::move(append));
  }

  std::function<void(run::NodeNo, std::optional<run::StoredSnapshot>&)> change = [](auto, auto&) {};
  std::map<run::NodeNo, std::string> replaced;
  int asked = 0;
};

class Snapshots : public ::testing::Test {
 protected:
  Snapshots() : world_(1, 80, 200) {
    world_.port = &store_;
    reply_ = MUST(world_.start());
    for (int i = 0; i < 70; ++i) reply_ = MUST(world_.advance(*reply_.ack_token, cat("did ", i)));
    for (const run::Commit& commit : MUST(world_.store.store_log({}, 1'000))) {
      const run::NodeNo no = run::NodeNo::of(commit.no, 0);
      const auto stored = MUST(world_.store.snapshot(no));
      if (stored) kept_[no] = stored->text;
    }
    EXPECT_GE(kept_.size(), 2u);
  }

  /// As a process that has just started: the run is as it was, and continues.
  void expect_the_truth() {
    world_.forget();
    const auto states = world_.folded_states();
    const NodeId node = reply_.reply.state.node;
    const engine::ReadContext reading = world_.engine().reading();
    const auto state = engine::load_state(reading, MUST(engine::load_node(reading, node)));
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(**state, states.at(node));
    EXPECT_EQ(code_of(world_.rehydrate(reply_.state_token)), "ok");
    reply_ = MUST(world_.advance(*reply_.ack_token, "on"));
  }

  /// The nearest to the tip.
  run::NodeNo last() const { return kept_.rbegin()->first; }

  World world_;
  ChangedSnapshots store_{world_.store};
  SignedReply reply_;
  std::map<run::NodeNo, std::string> kept_;
};

/// The text of another state of the same node.
void tamper(run::StoredSnapshot& stored) {
  run::NodeState state = run::read_snapshot(stored.text).value();
  state.context = std::make_shared<json::Object>(json::Object{{"tampered", true}});
  stored.text = run::write_snapshot(state).value();
}

TEST_F(Snapshots, that_are_sealed_are_used_and_not_replaced) {
  expect_the_truth();
  EXPECT_EQ(store_.asked, 1);
  EXPECT_TRUE(store_.replaced.empty());
}

// Enforces: G17
TEST_F(Snapshots, without_a_seal_are_folded_once_and_then_replaced) {
  world_.store.forget_seals();
  store_.change = [](run::NodeNo, auto& stored) {
    if (!stored->is_sealed) tamper(*stored);
  };
  expect_the_truth();
  ASSERT_EQ(store_.replaced.size(), 1u);
  EXPECT_EQ(store_.replaced.begin()->first, last());
  EXPECT_EQ(store_.replaced.begin()->second, kept_.at(last()));
  EXPECT_TRUE(MUST(world_.store.snapshot(last()))->is_sealed);

  // Once replaced it is used again.
  store_.asked = 0;
  expect_the_truth();
  EXPECT_EQ(store_.asked, 1);
  EXPECT_EQ(store_.replaced.size(), 1u);
}

// Enforces: G17
TEST_F(Snapshots, that_are_missing_or_have_a_wrong_seal_are_folded_again) {
  store_.change = [](run::NodeNo, auto& stored) { stored.reset(); };
  expect_the_truth();
  ASSERT_EQ(store_.replaced.size(), 1u);
  EXPECT_EQ(store_.replaced.begin()->second, kept_.at(last()));
}

// Enforces: G17
TEST_F(Snapshots, of_another_node_or_without_sense_are_skipped) {
  const std::string other = kept_.begin()->second;
  for (const std::string& text : {other, std::string("no JSON"), std::string()}) {
    store_.replaced.clear();
    store_.change = [&](run::NodeNo, auto& stored) { stored->text = text; };
    expect_the_truth();
    ASSERT_EQ(store_.replaced.size(), 1u);
    EXPECT_EQ(store_.replaced.begin()->second, kept_.at(last()));
  }
}

// Enforces: G9
TEST(reseals, wait_for_so_many_sessions_and_no_more) {
  engine::Caches caches;
  const auto session = [](std::size_t n) {
    SessionId id;
    id.bytes[0] = static_cast<std::uint8_t>(n + 1);
    return id;
  };
  for (std::size_t i = 0; i <= limits::reseals_max; ++i) {
    caches.reseals.put(session(i), {16}, cat("state ", i));
  }
  EXPECT_TRUE(caches.reseals.find(session(limits::reseals_max - 1)));
  EXPECT_FALSE(caches.reseals.find(session(limits::reseals_max)));
  caches.reseals.forget(session(0));
  caches.reseals.put(session(limits::reseals_max), {16}, "now there is room");
  EXPECT_TRUE(caches.reseals.find(session(limits::reseals_max)));
}

}  // namespace
}  // namespace baton::testing
