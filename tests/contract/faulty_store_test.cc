// What the scripted faults of FaultyStore do.

#include "adapters/store/faulty/faulty_store.h"

#include <gtest/gtest.h>

#include "adapters/store/memory/memory_store.h"
#include "ports/store_admin.h"
#include "support/acts.h"

namespace baton::contract {
namespace {

using adapters::FaultyStore;
using Call = FaultyStore::Call;
using Kind = FaultyStore::Kind;

struct faulty_store : ::testing::Test {
  adapters::MemoryStore inner;
  FaultyStore store{inner};
};

TEST_F(faulty_store, a_refused_call_did_nothing) {
  store.inject(Call::append, 2, {Kind::refuse, Code::STORE_FULL});
  must_append(store, start_run(1, 1, 1));
  EXPECT_EQ(store.append(note(1, 1, 1, "n", "x")).error().code, Code::STORE_FULL);
  EXPECT_EQ(got(inner.last_commit()), run::CommitNo{1});
  must_append(store, note(1, 1, 1, "n", "x"));
}

TEST_F(faulty_store, an_unknown_outcome_is_found_again_by_its_key) {
  store.inject(Call::append, 1, {Kind::commit_then_error, Code::STORE_FAILED});
  EXPECT_EQ(store.append(start_run(1, 1, 1)).error().code, Code::STORE_FAILED);
  const auto again = got(store.append(start_run(1, 1, 1)));
  ASSERT_TRUE(std::holds_alternative<ports::AlreadyRecorded>(again));
  EXPECT_EQ(std::get<ports::AlreadyRecorded>(again).commit, run::CommitNo{1});
}

TEST_F(faulty_store, a_conflict_can_be_forced_once) {
  must_append(store, start_run(1, 1, 1));
  store.inject(Call::append, 1, {.kind = Kind::head_moved});
  run::CommitDraft append = note(1, 1, 1, "n", "x");
  append.expected = run::Seq{1};
  const auto outcome = got(store.append(append));
  ASSERT_TRUE(std::holds_alternative<ports::HeadMoved>(outcome));
  EXPECT_EQ(std::get<ports::HeadMoved>(outcome).head, run::Seq{1});
  must_append(store, append);
}

TEST_F(faulty_store, reads_and_writes_are_counted_apart) {
  store.inject(Call::read, 2, {});
  must_append(store, start_run(1, 1, 1));
  EXPECT_TRUE(store.last_commit().has_value());
  EXPECT_FALSE(store.node({16}).has_value());
  EXPECT_TRUE(store.node({16}).has_value());
  EXPECT_EQ(store.count(Call::read), 3);
  EXPECT_EQ(store.count(Call::append), 1);
}

TEST_F(faulty_store, a_store_that_is_down_refuses_everything) {
  store.go_down(Code::STORE_BUSY);
  EXPECT_EQ(store.append(start_run(1, 1, 1)).error().code, Code::STORE_BUSY);
  EXPECT_EQ(store.last_commit().error().code, Code::STORE_BUSY);
  EXPECT_EQ(store.purge(session_id(1), {1}, {}).error().code, Code::STORE_BUSY);
  EXPECT_EQ(store.rebuild().error().code, Code::STORE_BUSY);
  EXPECT_EQ(store.audit().error().code, Code::STORE_BUSY);
  store.go_up();
  must_append(store, start_run(1, 1, 1));
}

}  // namespace
}  // namespace baton::contract
