// What `verify` notices: any change to the log, and anything indexed that does not follow from it.

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "support/world.h"
#include "verbs/run/revoke.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using surface::SignedReply;

/// Reads of a good store with one thing changed on the way.
class TamperedReader final : public ports::EventReader {
 public:
  explicit TamperedReader(ports::EventReader& inner) : inner_(inner) {}

  std::function<void(run::Commit&)> commit_change = [](auto&) {};
  std::function<void(run::NodeRow&)> node_change = [](auto&) {};
  std::function<void(run::RunRow&)> run_change = [](auto&) {};
  std::function<void(std::optional<std::string>&)> blob_change = [](auto&) {};
  std::function<void(std::optional<std::string>&)> workflow_change = [](auto&) {};
  std::function<void(std::optional<std::string>&)> snapshot_change = [](auto&) {};
  std::function<void(std::optional<run::NodeNo>&)> attempt_change = [](auto&) {};
  std::function<void(ports::SettledCount&)> settled_change = [](auto&) {};
  std::function<void(run::SessionHead&)> head_change = [](auto&) {};
  NodeId lost_child;
  bool keys_are_lost = false;
  bool nodes_are_lost = false;
  bool runs_are_lost = false;

  Result<std::optional<run::NodeRow>> node(run::NodeNo no) override {
    return changed_row(TRY(inner_.node(no)), nodes_are_lost, node_change);
  }
  Result<std::optional<run::NodeRow>> node_by_id(const NodeId& id) override {
    return changed_row(TRY(inner_.node_by_id(id)), nodes_are_lost, node_change);
  }
  Result<std::optional<run::Tombstone>> tombstone(run::NodeNo no) override {
    return inner_.tombstone(no);
  }
  Result<std::optional<run::NodeNo>> attempt(run::NodeNo node,
                                             const run::AttemptKey& key) override {
    auto found = TRY(inner_.attempt(node, key));
    attempt_change(found);
    return found;
  }
  Result<ports::SettledCount> settled(run::NodeNo node, run::AttemptKind kind,
                                      std::uint8_t ordinal) override {
    auto count = TRY(inner_.settled(node, kind, ordinal));
    settled_change(count);
    return count;
  }
  Result<std::vector<run::NodeRow>> children(run::NodeNo parent, std::size_t limit) override {
    auto rows = TRY(inner_.children(parent, limit));
    std::erase_if(rows, [&](const run::NodeRow& row) { return row.id == lost_child; });
    return rows;
  }
  Result<std::optional<run::Commit>> commit(run::CommitNo no) override {
    return changed_row(TRY(inner_.commit(no)), false, commit_change);
  }
  Result<std::optional<run::Commit>> commit_by_key(const SessionId& session,
                                                   std::string_view key) override {
    return changed_row(TRY(inner_.commit_by_key(session, key)), keys_are_lost, commit_change);
  }
  Result<std::optional<run::Commit>> newest_by_prefix(const SessionId& session,
                                                      std::string_view prefix) override {
    return inner_.newest_by_prefix(session, prefix);
  }
  Result<std::vector<run::Commit>> log(const SessionId& session, run::Seq after,
                                       std::size_t limit) override {
    auto commits = TRY(inner_.log(session, after, limit));
    for (run::Commit& commit : commits) commit_change(commit);
    return commits;
  }
  Result<std::vector<run::Commit>> store_log(run::CommitNo after, std::size_t limit) override {
    auto commits = TRY(inner_.store_log(after, limit));
    for (run::Commit& commit : commits) commit_change(commit);
    return commits;
  }
  Result<run::SessionHead> head(const SessionId& session) override {
    auto head = TRY(inner_.head(session));
    head_change(head);
    return head;
  }
  Result<std::optional<std::string>> blob(const Sha256& hash) override {
    return changed(TRY(inner_.blob(hash)), blob_change);
  }
  Result<std::optional<std::string>> workflow(const Sha256& hash) override {
    return changed(TRY(inner_.workflow(hash)), workflow_change);
  }
  Result<std::optional<run::StoredSnapshot>> snapshot(run::NodeNo node) override {
    auto stored = TRY(inner_.snapshot(node));
    const bool is_sealed = stored && stored->is_sealed;
    auto text = changed(stored ? std::optional(stored->text) : std::nullopt, snapshot_change);
    if (!text) return std::nullopt;
    return run::StoredSnapshot{*std::move(text), is_sealed};
  }
  Result<std::optional<run::RunRow>> run(const RunId& id) override {
    return changed_row(TRY(inner_.run(id)), runs_are_lost, run_change);
  }
  Result<std::vector<run::RunRow>> runs(std::optional<run::CommitNo> before,
                                        std::size_t limit) override {
    return inner_.runs(before, limit);
  }
  Result<std::vector<run::LooseSession>> loose_sessions(run::CommitNo after,
                                                        std::size_t limit) override {
    return inner_.loose_sessions(after, limit);
  }
  Result<run::CommitNo> last_commit() override { return inner_.last_commit(); }
  Result<bool> purged(const SessionId& session) override { return inner_.purged(session); }

 private:
  static std::optional<std::string> changed(
      std::optional<std::string> text,
      const std::function<void(std::optional<std::string>&)>& change) {
    change(text);
    return text;
  }
  template <class Row>
  static std::optional<Row> changed_row(std::optional<Row> row, bool lost,
                                        const std::function<void(Row&)>& change) {
    if (lost) return std::nullopt;
    if (row) change(*row);
    return row;
  }

  ports::EventReader& inner_;
};

/// A store with a snapshot, texts by hash, a fork, a checkpoint and a revocation.
class verify : public ::testing::Test {
 protected:
  verify() {
    SignedReply reply = world_.start({{"k", 1}}).value();
    const SignedReply first = reply;
    for (int i = 0; i < 20; ++i) {
      run::StepInput input = notes_of("step");
      input.artifacts = {json::Object{{"kind", "x"}}};
      input.context = {{"i", i}};
      engine::Engine engine = world_.engine();
      reply = surface::advance(engine, {}, {*reply.ack_token, std::nullopt, input}).value();
    }
    middle_ = reply.reply.state.node;
    const SignedReply back = world_.rehydrate(first.state_token).value();
    fork_ = world_.advance(*back.ack_token, "fork").value().reply.state.node;
    (void)world_.checkpoint(*first.checkpoint_token).value();
    const SignedReply other = world_.start().value();
    engine::Engine engine = world_.engine();
    EXPECT_TRUE(verbs::revoke(engine, *world_.store.run(other.reply.run).value()));
    other_ = other.reply.state.node;
  }

  bool notices() {
    const auto report = verbs::verify(reader_).value();
    return !report.ok();
  }

  /// Whether changing each commit in turn is noticed.
  void expect_noticed_in_each_commit(const std::function<void(run::Commit&)>& change) {
    const std::int64_t last = world_.last_commit().value;
    for (std::int64_t no = 1; no <= last; ++no) {
      reader_.commit_change = [&](run::Commit& commit) {
        if (commit.no.value == no) change(commit);
      };
      EXPECT_TRUE(notices()) << "commit " << no;
    }
  }

  /// Whether a change of one node's row is noticed.
  bool notices_in_row(const NodeId& id, const std::function<void(run::NodeRow&)>& change) {
    reader_.node_change = [&](run::NodeRow& row) {
      if (row.id == id) change(row);
    };
    return notices();
  }

  World world_{1, 60, 300};
  TamperedReader reader_{world_.store};
  NodeId middle_, fork_, other_;
};

// Enforces: G4
TEST_F(verify, notices_a_node_that_its_parent_does_not_lead_to) {
  for (const NodeId& node : {middle_, fork_}) {
    reader_.lost_child = node;
    EXPECT_TRUE(notices()) << node.text();
  }
  reader_.lost_child = other_;  // a root
  EXPECT_FALSE(notices());
}

/// Advances below a checkpoint with the token from before it: the checkpoint adopts the new node.
TEST(verify_file, notices_a_child_that_its_parent_no_longer_adopts) {
  std::string pattern = (std::filesystem::temp_directory_path() / "baton-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::string path = pattern + "/store.db";
  {
    const auto store = MUST(adapters::SqliteStore::open(path));
    World world;
    world.port = store.get();
    const SignedReply first = world.start().value();
    ASSERT_TRUE(world.checkpoint(*first.checkpoint_token));
    ASSERT_TRUE(world.advance(*first.ack_token));
    EXPECT_TRUE(verbs::verify(*store).value().ok());
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, "DELETE FROM adopted", nullptr, nullptr, nullptr), SQLITE_OK);
    ASSERT_EQ(sqlite3_changes(db), 1);
    sqlite3_close(db);
    EXPECT_FALSE(verbs::verify(*store).value().ok());
    ASSERT_TRUE(store->rebuild());
    EXPECT_TRUE(verbs::verify(*store).value().ok());
  }
  std::filesystem::remove_all(pattern);
}

TEST_F(verify, finds_nothing_in_a_good_store_and_counts_it) {
  const auto report = verbs::verify(reader_).value();
  EXPECT_TRUE(report.ok()) << report.problems.front();
  EXPECT_EQ(report.commits, world_.last_commit().value);
  EXPECT_EQ(report.sessions, 2);
  EXPECT_EQ(report.nodes, report.commits - 1);
  EXPECT_GT(report.events, report.commits);
  ASSERT_TRUE(world_.store.rebuild());
  EXPECT_TRUE(verbs::verify(world_.store).value().ok());
}

// Enforces: G4
TEST_F(verify, notices_any_change_of_a_commit) {
  expect_noticed_in_each_commit([](run::Commit& c) { c.body[c.body.size() / 2] ^= 1; });
  expect_noticed_in_each_commit([](run::Commit& c) { c.body += ' '; });
  expect_noticed_in_each_commit([](run::Commit& c) { c.hash.bytes[31] ^= 1; });
  expect_noticed_in_each_commit([](run::Commit& c) { c.previous.bytes[0] ^= 1; });
  expect_noticed_in_each_commit([](run::Commit& c) { c.at.value += 1; });
  expect_noticed_in_each_commit([](run::Commit& c) { c.dedupe_key += 'x'; });
  expect_noticed_in_each_commit([](run::Commit& c) { c.seq.value += 1; });
  expect_noticed_in_each_commit([](run::Commit& c) { c.session.bytes[5] ^= 1; });
}

// Enforces: G4
TEST_F(verify, notices_each_changed_byte_of_a_commit) {
  const std::string body = world_.store.commit({3}).value()->body;
  for (std::size_t i = 0; i < body.size(); i += 7) {
    reader_.commit_change = [&](run::Commit& commit) {
      if (commit.no.value == 3) commit.body[i] = static_cast<char>(commit.body[i] ^ 4);
    };
    EXPECT_TRUE(notices()) << i;
  }
}

// Enforces: G4
TEST_F(verify, notices_a_commit_rewritten_with_a_fitting_hash) {
  // Other notes of the same length leave all that is indexed as it was; what tells is that the
  // next commit continues another one.
  bool rewritten = false;
  reader_.commit_change = [&](run::Commit& commit) {
    if (commit.no.value != 3) return;
    const std::string notes = R"("notes":"step")";
    const std::size_t at = commit.body.find(notes);
    if (at == std::string::npos) return;
    commit.body.replace(at, notes.size(), R"("notes":"stop")");
    commit.hash = run::commit_hash(commit);
    rewritten = true;
  };
  EXPECT_TRUE(notices());
  EXPECT_TRUE(rewritten);
}

// Enforces: G4
TEST_F(verify, notices_texts_that_are_gone_or_changed) {
  const auto gone = [](std::optional<std::string>& text) { text.reset(); };
  const auto longer = [](std::optional<std::string>& text) {
    if (text) *text += ' ';
  };
  for (const auto& change : {std::function<void(std::optional<std::string>&)>(gone),
                             std::function<void(std::optional<std::string>&)>(longer)}) {
    reader_.blob_change = change;
    EXPECT_TRUE(notices());
    reader_.blob_change = [](auto&) {};
    reader_.workflow_change = change;
    EXPECT_TRUE(notices());
    reader_.workflow_change = [](auto&) {};
    reader_.snapshot_change = change;
    EXPECT_TRUE(notices());
    reader_.snapshot_change = [](auto&) {};
  }
  EXPECT_FALSE(notices());
}

TEST_F(verify, notices_a_snapshot_of_another_state) {
  reader_.snapshot_change = [](std::optional<std::string>& text) {
    if (!text) return;
    run::NodeState state = run::read_snapshot(*text).value();
    state.context = std::make_shared<json::Object>(json::Object{{"i", -1}});
    text = run::write_snapshot(state).value();
  };
  EXPECT_TRUE(notices());
}

TEST_F(verify, notices_any_field_of_a_node_row_that_is_off) {
  const std::function<void(run::NodeRow&)> changes[] = {
      [](run::NodeRow& row) { row.session.bytes[3] ^= 1; },
      [](run::NodeRow& row) { row.run.bytes[3] ^= 1; },
      [](run::NodeRow& row) { row.parent = run::NodeNo{16}; },
      [](run::NodeRow& row) { row.parent.reset(); },
      [](run::NodeRow& row) { row.depth += 1; },
      [](run::NodeRow& row) { row.kind = run::NodeKind::checkpoint; },
      [](run::NodeRow& row) { row.open_steps.push_back("x"); },
      [](run::NodeRow& row) { row.settled_step += "x"; },
      [](run::NodeRow& row) { row.created.value += 1; },
      [](run::NodeRow& row) { row.path_events += 1; },
      [](run::NodeRow& row) { row.path_bytes -= 1; },
      [](run::NodeRow& row) { row.snapshot = row.snapshot ? std::nullopt : std::optional(row.no); },
      [](run::NodeRow& row) { row.revoked = !row.revoked; },
      [](run::NodeRow& row) { row.no.value += 16; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    EXPECT_TRUE(notices_in_row(middle_, changes[i])) << i;
  }
  EXPECT_TRUE(notices_in_row(other_, changes[std::size(changes) - 2])) << "revocation lost";
  EXPECT_FALSE(notices_in_row(fork_, [](run::NodeRow&) {}));
}

TEST_F(verify, notices_rows_that_are_missing) {
  reader_.nodes_are_lost = true;
  EXPECT_TRUE(notices());
  reader_.nodes_are_lost = false;
  reader_.runs_are_lost = true;
  EXPECT_TRUE(notices());
  reader_.runs_are_lost = false;
  reader_.keys_are_lost = true;
  EXPECT_TRUE(notices());
  reader_.keys_are_lost = false;
  reader_.attempt_change = [](auto& found) { found.reset(); };
  EXPECT_TRUE(notices());
  reader_.attempt_change = [](auto& found) { found = run::NodeNo{16}; };
  EXPECT_TRUE(notices());
  reader_.attempt_change = [](auto&) {};
  reader_.settled_change = [](ports::SettledCount& settled) { settled.count = 0; };
  EXPECT_TRUE(notices());
  reader_.settled_change = [](ports::SettledCount&) {};
  reader_.head_change = [](run::SessionHead& head) { head.seq.value -= 1; };
  EXPECT_TRUE(notices());
  reader_.head_change = [](run::SessionHead&) {};
  EXPECT_FALSE(notices());
}

TEST_F(verify, notices_any_field_of_a_run_row_that_is_off) {
  const std::function<void(run::RunRow&)> changes[] = {
      [](run::RunRow& row) { row.session.bytes[3] ^= 1; },
      [](run::RunRow& row) { row.workflow_id += "x"; },
      [](run::RunRow& row) { row.workflow_hash.bytes[3] ^= 1; },
      [](run::RunRow& row) { row.goal += "x"; },
      [](run::RunRow& row) { row.started.value += 1; },
      [](run::RunRow& row) { row.tip = run::NodeNo{16}; },
      [](run::RunRow& row) { row.is_complete = !row.is_complete; },
      [](run::RunRow& row) { row.nodes += 1; },
      [](run::RunRow& row) { row.last_commit = {1}; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    reader_.run_change = [&](run::RunRow& row) {
      if (row.nodes > 5) changes[i](row);
    };
    EXPECT_TRUE(notices()) << i;
  }
}

// Enforces: G9
TEST_F(verify, names_a_bounded_number_of_problems) {
  World large(3, 200);
  SignedReply reply = large.start().value();
  for (int i = 0; i < 120; ++i) reply = large.advance(*reply.ack_token).value();
  TamperedReader reader(large.store);
  reader.commit_change = [](run::Commit& commit) { commit.hash.bytes[0] ^= 1; };
  EXPECT_EQ(verbs::verify(reader).value().problems.size(), limits::verify_problems_max);
}

}  // namespace
}  // namespace baton::testing
