#include "run/log/rows.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "run/testing/event_generator.h"

namespace baton::run {
namespace {

Commit sample() {
  return {.no = {7},
          .session = testing::id_of<SessionId>(1),
          .seq = {3},
          .dedupe_key = "start",
          .at = {1'700'000'000'000},
          .previous = sha256("before"),
          .hash = {},
          .body = R"({"events":[],"v":1})"};
}

TEST(commit_hash, is_the_same_for_ever) {
  EXPECT_EQ(commit_hash(sample()).hex(),
            "11595d372e36a87b0ba2aeb16cc659be8728aa76f92c5a834c525b960ad7b074");
}

// Enforces: G4
TEST(commit_hash, covers_everything_but_the_number_in_the_store) {
  const Sha256 hash = commit_hash(sample());
  const auto changed = [&](auto change) {
    Commit commit = sample();
    change(commit);
    return commit_hash(commit) != hash;
  };
  EXPECT_FALSE(changed([](Commit& c) { c.no = {8}; }));
  EXPECT_FALSE(changed([](Commit& c) { c.hash = sha256("x"); }));
  EXPECT_TRUE(changed([](Commit& c) { c.session = testing::id_of<SessionId>(2); }));
  EXPECT_TRUE(changed([](Commit& c) { c.seq = {4}; }));
  EXPECT_TRUE(changed([](Commit& c) { c.dedupe_key = "stars"; }));
  EXPECT_TRUE(changed([](Commit& c) { c.at = {1'700'000'000'001}; }));
  EXPECT_TRUE(changed([](Commit& c) { c.previous = sha256("after"); }));
  EXPECT_TRUE(changed([](Commit& c) { c.body += ' '; }));
}

// Enforces: G4
RC_GTEST_PROP(commit_hash, no_two_commits_share_a_preimage, ()) {
  // Few characters, those that the preimage itself uses, so that borders could be moved.
  const auto any_commit = rc::gen::exec([] {
    const auto text = rc::gen::container<std::string>(rc::gen::element('1', '2', '\n'));
    Commit commit = sample();
    commit.seq.value = *rc::gen::inRange<std::int64_t>(1, 23);
    commit.at.value = *rc::gen::inRange<std::int64_t>(1, 23);
    commit.dedupe_key = *text;
    commit.body = *text;
    return commit;
  });
  const Commit one = *any_commit;
  const Commit other = *any_commit;
  RC_ASSERT((one == other) == (commit_hash(one) == commit_hash(other)));
}

}  // namespace
}  // namespace baton::run
