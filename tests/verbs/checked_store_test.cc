// The store that verbs are given: how much it keeps and how far it looks, and what it does with
// sessions that are damaged when whole stores are worked through.

#include "engine/load/checked_store.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "support/edited_store.h"
#include "support/world.h"
#include "verbs/run/mcp_tasks.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/gc.h"
#include "verbs/store/import_bundle.h"

namespace baton::testing {
namespace {

using engine::CheckedStore;
using surface::SignedReply;

SessionId session_of(std::uint8_t n) {
  SessionId id;
  id.bytes[0] = n;
  return id;
}

/// A commit that makes no node, with a text of `bytes` in it.
run::CommitDraft noted(const SessionId& session, const RunId& run, std::string key,
                       std::size_t bytes = 1) {
  run::CommitDraft append;
  append.session = session;
  append.dedupe_key = std::move(key);
  append.events = {
      run::ObservationRecorded{run, run::ObservationKey::workspace_path, std::string(bytes, 'a')}};
  return append;
}

run::CommitNo appended(ports::EventStore& store, run::CommitDraft append) {
  return std::get<ports::Appended>(MUST(store.append(std::move(append)))).commit.no;
}

// Enforces: G9
TEST(checked_store, keeps_commits_decoded_up_to_a_size) {
  adapters::MemoryStore store;
  engine::Caches caches;
  CheckedStore checked(store, caches);
  const std::size_t frame =
      MUST(run::encode_events(noted(session_of(1), {}, "k", 0).events)).size();
  const std::size_t fits = limits::cached_commit_bytes_max - frame;
  const run::CommitNo kept = appended(store, noted(session_of(1), {}, "fits", fits));
  const run::CommitNo larger = appended(store, noted(session_of(1), {}, "larger", fits + 1));
  for (const run::CommitNo no : {kept, larger}) {
    EXPECT_TRUE(engine::load_events({checked, caches}, no));
  }
  EXPECT_NE(caches.events.find(kept.value), nullptr);
  EXPECT_EQ(caches.events.find(larger.value), nullptr);
}

// Enforces: G9
TEST(checked_store, keeps_so_many_outlines_and_sessions) {
  adapters::MemoryStore store;
  engine::Caches caches;
  CheckedStore checked(store, caches);
  const auto look = [&](run::CommitNo no) {
    EXPECT_TRUE(checked.attempt(run::NodeNo::of(no, 0), {}));
  };
  std::vector<run::CommitNo> all;
  for (std::size_t i = 0; i <= limits::cached_outlines_max; ++i) {
    all.push_back(appended(store, noted(session_of(1), {}, cat("key ", i))));
  }
  for (std::size_t i = 0; i < limits::cached_outlines_max; ++i) look(all[i]);
  EXPECT_NE(caches.outlines.find(all[0].value), nullptr);
  look(all[1]);
  look(all.back());
  EXPECT_EQ(caches.outlines.find(all[2].value), nullptr) << "it was used longest ago";

  for (std::size_t i = 0; i <= limits::cached_followed_max; ++i) {
    World world(100 + i);
    world.port = &store;
    const SignedReply reply = MUST(world.start());
    const auto node = MUST(store.node_by_id(reply.reply.state.node));
    EXPECT_TRUE(checked.children(node->no, 1));
    if (i == 0) all = {node->no.commit()};
    if (i + 1 == limits::cached_followed_max) {
      EXPECT_NE(caches.followed.find(MUST(store.commit(all[0]))->session), nullptr);
    }
  }
  EXPECT_NE(caches.followed.find(MUST(store.commit(all[0]))->session), nullptr) << "just used";
}

// Enforces: G9
TEST(checked_store, follows_a_log_so_far_and_no_further) {
  World world;
  const SignedReply reply = MUST(world.start());
  const auto node = MUST(world.store.node_by_id(reply.reply.state.node));
  const SessionId session = reply.reply.session;
  for (std::int64_t i = 1; i < limits::followed_commits_max; ++i) {
    appended(world.store, noted(session, reply.reply.run, cat("key ", i)));
  }
  ASSERT_EQ(MUST(world.store.head(session)).seq.value, limits::followed_commits_max);
  const auto follows = [&] {
    engine::Caches caches;
    CheckedStore checked(world.store, caches);
    EXPECT_TRUE(checked.children(node->no, 1));
    const auto followed = caches.followed.find(session);
    return followed != nullptr && Guarded<engine::SessionNodes>::hold(*followed)->is_begun;
  };
  EXPECT_TRUE(follows());
  appended(world.store, noted(session, reply.reply.run, "one more"));
  EXPECT_FALSE(follows());
}

/// Three runs in a file; the middle one is damaged by `sql`.
struct Damaged {
  explicit Damaged(const std::string& sql) {
    store = MUST(adapters::SqliteStore::open(folder.file("runs.db")));
    world.port = store.get();
    for (int i = 0; i < 3; ++i) replies.push_back(MUST(world.start()));
    for (SignedReply& reply : replies) reply = MUST(world.advance(*reply.ack_token));
    Editor editor(folder.file("runs.db"));
    EXPECT_TRUE(editor.run(sql));
    world.forget();
  }

  ScratchFolder folder;
  World world;
  std::unique_ptr<adapters::SqliteStore> store;
  std::vector<SignedReply> replies;
};

// Enforces: G17
TEST(checked_store, gc_removes_nothing_because_of_a_row_that_lies) {
  for (const char* sql : {"UPDATE runs SET is_complete = 1 WHERE run_no = 2",
                          "UPDATE runs SET last_ms = 0 WHERE run_no = 2",
                          "UPDATE commits SET body = 'no JSON' WHERE commit_no = 5"}) {
    SCOPED_TRACE(sql);
    Damaged made(sql);
    engine::Engine engine = made.world.engine();
    const auto report =
        verbs::gc(engine, {.quiet_days = 0, .only_completed = false, .dry_run = false});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->removed.size(), 2u);
    EXPECT_EQ(report->kept, 1);
    EXPECT_EQ(MUST(made.store->purged(made.replies[1].reply.session)), false);
  }
}

// Enforces: G17
TEST(checked_store, a_whole_copy_of_a_damaged_run_comes_in_beside_it) {
  Damaged made("UPDATE commits SET at_ms = at_ms + 1 WHERE commit_no = 5");
  Damaged elsewhere("UPDATE runs SET nodes = nodes");
  const SessionId session = made.replies[1].reply.session;
  engine::Engine there = elsewhere.world.engine();
  const std::string bundle = MUST(verbs::export_bundle(there.store, session));
  engine::Engine engine = made.world.engine();
  ASSERT_EQ(code_of(verbs::export_bundle(engine.store, session)), "STORAGE_CORRUPTION_DETECTED");
  const auto imported = verbs::import_bundle(engine, bundle);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_TRUE(imported->renamed);
  EXPECT_EQ(code_of(verbs::export_bundle(engine.store, imported->session)), "ok");
}

// Enforces: G17
TEST(checked_store, a_head_that_cannot_be_read_is_the_trouble_of_its_session_alone) {
  for (const char* sql : {"UPDATE commits SET hash = x'00' WHERE commit_no = 5",
                          "UPDATE commits SET seq = 77 WHERE commit_no = 5",
                          "UPDATE commits SET previous = x'' WHERE commit_no = 5"}) {
    SCOPED_TRACE(sql);
    Damaged made(sql);
    EXPECT_EQ(code_of(made.world.advance(*made.replies[1].ack_token)),
              "STORAGE_CORRUPTION_DETECTED");
    for (const std::size_t other : {0u, 2u}) {
      EXPECT_EQ(code_of(made.world.advance(*made.replies[other].ack_token)), "ok");
    }
    EXPECT_EQ(code_of(made.world.start()), "ok");
  }
}

// Enforces: G17
TEST(checked_store, the_tasks_of_clients_are_listed_without_a_damaged_one) {
  ScratchFolder folder;
  World world;
  const auto store = MUST(adapters::SqliteStore::open(folder.file("runs.db")));
  world.port = store.get();
  engine::Engine engine = world.engine();
  verbs::McpTasks tasks([&]() -> Result<engine::Engine*> { return &engine; });
  for (int i = 0; i < 3; ++i) {
    protocol::McpTask draft;
    draft.tool = cat("tool-", i);
    MUST(tasks.create(draft));
  }
  Editor editor(folder.file("runs.db"));
  ASSERT_TRUE(editor.run("UPDATE commits SET body = replace(body, 'tool-1', 'tool-7')"));
  const auto listed = verbs::list_tasks(engine.reading(), 10);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_EQ(listed->front().tool, "tool-0");
  EXPECT_EQ(listed->back().tool, "tool-2");
}

}  // namespace
}  // namespace baton::testing
