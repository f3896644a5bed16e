#include "workload.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace baton::powercut {
namespace {

bool same_ops(const Recording& a, const Recording& b) {
  return std::ranges::equal(a.ops, b.ops, [](const OpPtr& x, const OpPtr& y) {
    return x->kind == y->kind && x->inode == y->inode && x->offset == y->offset &&
           x->data == y->data && x->name == y->name;
  });
}

// Enforces: G1
TEST(order, every_append_returns_after_the_sync_of_its_commit) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Recording recording = run_workload({.seed = seed});
    EXPECT_GT(recording.appends, 20);
    for (const std::string& problem : recording.problems) {
      ADD_FAILURE() << "workload " << seed << " on " << recording.profile.text() << ": " << problem;
    }
  }
}

TEST(order, append_without_a_sync_is_noticed) {
  CrashVfs vfs({.profile = {}, .seed = 1, .syncs_work = false});
  std::vector<std::string> problems;
  const auto world = World::open({.path = store_path, .vfs = vfs.name(), .on_append = [&] {
                                    if (auto problem = vfs.unsynced_commit(store_path)) {
                                      problems.push_back(*problem);
                                    }
                                  }});
  ASSERT_TRUE(world);
  ASSERT_TRUE(send(**world, {}));
  EXPECT_EQ(problems.size(), 1u);
}

TEST(workload, same_seed_gives_the_same_operations) {
  const Recording first = run_workload({.seed = 5});
  const Recording second = run_workload({.seed = 5});
  EXPECT_GT(first.ops.size(), 300u);
  EXPECT_TRUE(same_ops(first, second));
  EXPECT_EQ(first.log, second.log);
  EXPECT_FALSE(same_ops(first, run_workload({.seed = 6})));
}

TEST(workload, every_kind_of_operation_and_call_is_in_it) {
  std::map<Op::Kind, int> kinds;
  std::map<Request::Kind, int> calls;
  int forks = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Recording recording = run_workload({.seed = seed});
    for (const OpPtr& op : recording.ops) ++kinds[op->kind];
    for (const Act& act : recording.acts) {
      ++calls[act.request.kind];
      forks += act.reply.notice || act.reply.reply.left ? 1 : 0;
    }
  }
  for (const Op::Kind kind : {Op::Kind::create, Op::Kind::remove, Op::Kind::write,
                              Op::Kind::truncate, Op::Kind::sync, Op::Kind::sync_folder}) {
    EXPECT_GT(kinds[kind], 1) << static_cast<int>(kind);
  }
  EXPECT_EQ(calls.size(), 3u);
  EXPECT_GT(forks, 4);
}

}  // namespace
}  // namespace baton::powercut
