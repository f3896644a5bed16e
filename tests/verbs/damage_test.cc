// A store that was edited behind Baton's back: for every changed row, a call either says that
// the run is damaged or answers what it would have answered before, and the other runs go on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/text/text.h"
#include "engine/load/find_run.h"
#include "run/log/bundle.h"
#include "support/edited_store.h"
#include "support/world.h"
#include "verbs/run/history.h"
#include "verbs/run/resume.h"
#include "verbs/run/revoke.h"
#include "verbs/store/export_bundle.h"

namespace baton::testing {
namespace {

using surface::SignedReply;
using ::testing::HasSubstr;

constexpr std::size_t steps = 40;
constexpr const char* damaged = "STORAGE_CORRUPTION_DETECTED";

/// A server's insides as a process that starts now, on a store in a file.
struct Process {
  explicit Process(const std::string& path, std::int64_t later_ms = 0) : world(1, steps, 300) {
    world.workflows.files.push_back(
        {"project",
         "flows/other.json",
         R"({"id":"other","steps":[{"id":"x","prompt":"Do x."},{"id":"y","prompt":"Do y."}]})",
         {}});
    world.manual_clock.advance_ms(later_ms);
    store = MUST(adapters::SqliteStore::open(path));
    world.port = store.get();
  }

  World world;
  std::unique_ptr<adapters::SqliteStore> store;
};

Result<SignedReply> start_other(World& world) {
  engine::Engine engine = world.engine();
  return surface::start(engine, world.principal, {"other", "another run", {}, {}});
}

/// A run with a snapshot, a checkpoint, a node that was moved below it, and a fork; and another
/// run.
struct Story {
  explicit Story(const std::string& path) {
    Process process(path);
    World& world = process.world;
    replies.push_back(MUST(world.start()));
    for (int i = 0; i < 30; ++i) {
      world.manual_clock.advance_ms(1);
      replies.push_back(MUST(world.advance(*replies.back().ack_token, cat("did ", i))));
    }
    // A checkpoint, and the step's own token used after it: its node is adopted by the checkpoint.
    const SignedReply at = replies.back();
    MUST(world.checkpoint(*at.checkpoint_token, "half of it"));
    replies.push_back(MUST(world.advance(*at.ack_token, "all of it")));
    replies.push_back(MUST(world.advance(*replies.back().ack_token, "and on")));
    const SignedReply old = MUST(world.rehydrate(replies[5].state_token));
    fork = MUST(world.advance(*old.ack_token, "another way"));
    other = MUST(start_other(world));
    world.manual_clock.advance_ms(1);
  }

  std::vector<SignedReply> replies;
  SignedReply fork;
  SignedReply other;
};

/// Everything that a reply tells, as text.
std::string told(const Result<SignedReply>& result) {
  if (!result) return std::string(name_of(result.error().code));
  const SignedReply& reply = *result;
  std::string out = cat(reply.state_token, ' ', reply.ack_token.value_or("-"), ' ',
                        reply.checkpoint_token.value_or("-"), ' ',
                        reply.reply.pending ? reply.reply.pending->prompt : "complete");
  if (reply.notice) out += cat(" notice ", reply.notice->ack_token);
  if (reply.reply.left) out += cat(" fork from ", reply.left_token);
  if (!reply.recovery) return out;
  out += reply.recovery->recap + reply.tip_token;
  for (std::size_t i = 0; i < reply.recovery->children.size(); ++i) {
    const engine::Child& child = reply.recovery->children[i];
    out += cat(child.label, reply.child_tokens[i], child.is_preferred ? "!" : "");
  }
  return out;
}

std::string text_of(const Result<std::string>& result) {
  return result ? *result : std::string(name_of(result.error().code));
}

/// A bundle says the same without snapshots, and those that do not fit are left out of it.
std::string without_snapshots(const Result<std::string>& text) {
  if (!text) return text_of(text);
  auto bundle = run::decode_bundle(*text);
  if (!bundle) return std::string(name_of(bundle.error().code));
  bundle->snapshots.clear();
  return text_of(run::encode_bundle(*bundle));
}

Result<std::string> shown(World& world, const RunId& run) {
  engine::Engine engine = world.engine();
  const run::RunRow row = TRY(engine::find_run(engine.store, run.text()));
  std::string out = cat(row.workflow_id, row.goal, row.started.value, row.last_active.value,
                        verbs::words_of(TRY(verbs::progress_of(engine.reading(), row))));
  for (const verbs::TreeNode& node : TRY(verbs::run_tree(engine.reading(), row))) {
    out += cat(node.id.text(), node.notes, node.is_tip ? "!" : "");
  }
  return out;
}

Result<std::string> resumed(World& world, const std::string& words) {
  const engine::Engine engine = world.engine();
  const verbs::Resumed found = TRY(
      verbs::resume(engine.reading(), world.search, nullptr, world.principal, {.query = words}));
  // What is damaged may not be found at all; what is found must be true.
  std::string out;
  for (const verbs::ResumedRun& run : found.candidates) {
    if (run.row.workflow_id != "demo") continue;
    out += cat(run.row.run.text(),
               MUST(surface::sign_node(engine.reading(), world.principal, run.tip)));
    EXPECT_THAT(run.snippet,
                ::testing::AnyOf("another way", "third way", "try it", "and on", "other"));
  }
  return found.damaged.empty() && !out.empty() ? out : std::string(damaged);
}

/// What a caller does with the run: each by itself, in a process that has just started or one that
/// has worked with the run before.
struct Act {
  const char* name;
  bool writes;
  std::function<std::string(World&, const Story&)> run;
};

const std::vector<Act>& acts() {
  static const std::vector<Act> all = {
      {"rehydrate the tip", false,
       [](World& w, const Story& s) { return told(w.rehydrate(s.fork.state_token)); }},
      {"rehydrate another tip", false,
       [](World& w, const Story& s) { return told(w.rehydrate(s.replies.back().state_token)); }},
      {"rehydrate an old point", false,
       [](World& w, const Story& s) { return told(w.rehydrate(s.replies[5].state_token)); }},
      {"rehydrate the point of a checkpoint", false,
       [](World& w, const Story& s) { return told(w.rehydrate(s.replies[30].state_token)); }},
      {"send an old answer again", false,
       [](World& w, const Story& s) { return told(w.advance(*s.replies[6].ack_token, "did 6")); }},
      {"show", false, [](World& w, const Story& s) { return text_of(shown(w, s.fork.reply.run)); }},
      {"export", false,
       [](World& w, const Story& s) {
         engine::Engine engine = w.engine();
         return without_snapshots(verbs::export_bundle(engine.store, s.fork.reply.session));
       }},
      {"resume", false, [](World& w, const Story&) { return text_of(resumed(w, "another way")); }},
      {"send another answer with an old token", true,
       [](World& w, const Story& s) { return told(w.advance(*s.replies[6].ack_token, "other")); }},
      {"advance at the tip", true,
       [](World& w, const Story& s) { return told(w.advance(*s.fork.ack_token, "new")); }},
      {"advance at another tip", true,
       [](World& w, const Story& s) { return told(w.advance(*s.replies.back().ack_token, "n")); }},
      {"fork at an old point", true,
       [](World& w, const Story& s) {
         const auto old = w.rehydrate(s.replies[5].state_token);
         return old ? told(w.advance(*old->ack_token, "third way")) : told(old);
       }},
      {"fork where a checkpoint is", true,
       [](World& w, const Story& s) {
         const auto old = w.rehydrate(s.replies[30].state_token);
         return old ? told(w.advance(*old->ack_token, "third way")) : told(old);
       }},
      {"save at the tip", true,
       [](World& w, const Story& s) { return told(w.checkpoint(*s.fork.checkpoint_token, "h")); }}};
  return all;
}

class Damage : public ::testing::Test {
 protected:
  static constexpr std::int64_t later_ms = 3'600'000;

  static void SetUpTestSuite() {
    folder_ = std::make_unique<ScratchFolder>();
    story_ = std::make_unique<Story>(folder_->file("template.db"));
    for (const Act& act : acts()) {
      Process process(folder_->copy(folder_->file("template.db"), "truth.db"), later_ms);
      truth_.push_back(act.run(process.world, *story_));
    }
  }
  static void TearDownTestSuite() {
    truth_.clear();
    story_.reset();
    folder_.reset();
  }

  static std::string fresh() { return folder_->copy(folder_->file("template.db"), "edited.db"); }

  /// Whether the answer is the truth, or says that it cannot be told.
  void expect_honest(std::size_t act, const std::string& answer, const std::string& also = {}) {
    if (answer == truth_[act] || answer == damaged || (!also.empty() && answer == also)) return;
    ADD_FAILURE() << acts()[act].name << ": " << answer.substr(0, 400) << "\ninstead of\n"
                  << truth_[act].substr(0, 400);
  }

  /// The other run continues, and new ones start, in the same process.
  void expect_others_go_on(World& world) {
    EXPECT_EQ(code_of(world.rehydrate(story_->other.state_token)), "ok");
    EXPECT_EQ(code_of(world.advance(*story_->other.ack_token, "x is done")), "ok");
    EXPECT_EQ(code_of(start_other(world)), "ok");
    engine::Engine engine = world.engine();
    EXPECT_EQ(code_of(verbs::export_bundle(engine.store, story_->other.reply.session)), "ok");
    EXPECT_EQ(code_of(resumed(world, "another run")), "ok");
  }

  /// Every act after the edit, by a process that knows nothing. True when one of them noticed it.
  bool try_cold(const Edit& edit, const std::string& also = {}) {
    bool is_noticed = false;
    std::unique_ptr<Process> process;
    for (std::size_t i = 0; i < acts().size(); ++i) {
      if (process == nullptr || acts()[i].writes) {
        process.reset();
        const std::string path = fresh();
        EXPECT_TRUE(Editor(path).run(edit.sql));
        process = std::make_unique<Process>(path, later_ms);
      }
      process->world.forget();
      const std::string answer = acts()[i].run(process->world, *story_);
      is_noticed |= answer == damaged;
      expect_honest(i, answer, also);
    }
    expect_others_go_on(process->world);
    return is_noticed;
  }

  /// The same in a process that has served the run already, while it is open.
  void try_warm(const Edit& edit, const std::string& also = {}) {
    for (std::size_t i = 0; i < acts().size(); ++i) {
      const std::string path = fresh();
      Process process(path, later_ms);
      for (std::size_t warm = 0; warm < 5; ++warm) acts()[warm].run(process.world, *story_);
      EXPECT_TRUE(Editor(path).run(edit.sql));
      expect_honest(i, acts()[i].run(process.world, *story_), also);
      if (i % 4 == 0) expect_others_go_on(process.world);
    }
  }

  /// The edits of a table that SQLite itself allows and that change something.
  static std::vector<Edit> possible(const std::string& table, const std::string& where) {
    std::vector<Edit> out;
    Editor editor(folder_->file("template.db"));
    const std::string all = cat("SELECT * FROM ", table);
    const auto before = editor.literals(all);
    for (Edit& edit : edits_of(editor, table, where)) {
      EXPECT_TRUE(editor.run("SAVEPOINT tried"));
      if (editor.run(edit.sql) && editor.literals(all) != before) out.push_back(std::move(edit));
      EXPECT_TRUE(editor.run("ROLLBACK TO tried; RELEASE tried"));
    }
    EXPECT_FALSE(out.empty()) << table;
    return out;
  }

  void try_all(const std::string& table, const std::string& where, const std::string& also = {}) {
    std::size_t noticed = 0;
    std::size_t count = 0;
    for (const Edit& edit : possible(table, where)) {
      SCOPED_TRACE(edit.name);
      noticed += try_cold(edit, also) ? 1 : 0;
      if (count++ % 5 == 0) try_warm(edit, also);
    }
    EXPECT_GT(noticed, 0u) << table;
    RecordProperty(table, cat(noticed, " of ", count));
  }

  static std::string run_no() {
    return cat("(SELECT run_no FROM runs WHERE workflow_id = 'demo')");
  }

  static inline std::unique_ptr<ScratchFolder> folder_;
  static inline std::unique_ptr<Story> story_;
  static inline std::vector<std::string> truth_;
};

// Enforces: G17
TEST_F(Damage, a_changed_node_is_noticed_or_changes_nothing) {
  // The root, an old point, the fork's parent, the first with a snapshot, and the last of all.
  try_all("nodes", cat("run_no = ", run_no(),
                       " AND (parent IS NULL OR snapshot = node_no OR node_no >"
                       " (SELECT max(node_no) - 50 FROM nodes WHERE run_no = ",
                       run_no(), ") OR (depth = 5 AND kind = 0))"));
}

// Enforces: G17
TEST_F(Damage, a_changed_attempt_is_noticed_or_changes_nothing) {
  try_all("attempts", cat("node_no IN (SELECT node_no FROM nodes WHERE run_no = ", run_no(),
                          " AND (depth IN (0, 5) OR node_no > (SELECT max(node_no) - 80 FROM nodes"
                          " WHERE run_no = ",
                          run_no(), ")))"));
}

// Enforces: G17
TEST_F(Damage, a_changed_entry_of_a_run_is_noticed_or_changes_nothing) {
  // A caller that asks for a run by an id without an entry is told that there is no such run.
  try_all("runs", "workflow_id = 'demo'", "NOT_FOUND");
}

// Enforces: G17
TEST_F(Damage, a_changed_adoption_is_noticed_or_changes_nothing) { try_all("adopted", "true"); }

// Enforces: G17
TEST_F(Damage, a_changed_commit_is_noticed_or_changes_nothing) {
  try_all("commits", cat("session_no = (SELECT session_no FROM runs WHERE workflow_id = 'demo')"
                         " AND (seq IN (1, 6, 7) OR seq > (SELECT max(seq) - 3 FROM commits c WHERE"
                         " c.session_no = commits.session_no))"));
}

// Enforces: G17
TEST_F(Damage, a_changed_text_is_noticed_or_changes_nothing) {
  try_all("blobs", "rowid <= 3");
  try_all("workflows", "hash = (SELECT workflow_hash FROM runs WHERE workflow_id = 'demo')");
}

// Enforces: G17
TEST_F(Damage, a_changed_snapshot_changes_nothing) {
  for (const Edit& edit : possible("snapshots", "true")) {
    SCOPED_TRACE(edit.name);
    try_cold(edit);
    try_warm(edit);
  }
}

// Enforces: G17
TEST_F(Damage, a_body_that_still_parses_is_never_told_as_the_truth) {
  const std::string where = "session_no = (SELECT session_no FROM runs WHERE workflow_id = 'demo')";
  const Edit edit{"a note was rewritten",
                  cat("UPDATE commits SET body = replace(body, 'did 29', 'did 92') WHERE ", where)};
  EXPECT_TRUE(try_cold(edit));
  try_warm(edit);
}

// Enforces: G17
TEST_F(Damage, two_rows_that_were_exchanged_are_noticed_or_change_nothing) {
  const auto swap = [](const std::string& table, const std::string& key, const std::string& column,
                       const std::string& one, const std::string& two) {
    return Edit{cat(table, '.', column, " of two rows exchanged"),
                cat("CREATE TEMP TABLE kept AS SELECT ", key, " k, ", column, " v FROM ", table,
                    " WHERE ", key, " IN (", one, ',', two, "); UPDATE ", table, " SET ", column,
                    " = (SELECT v FROM kept WHERE k <> ", table, '.', key, ") WHERE ", key, " IN (",
                    one, ',', two, "); DROP TABLE kept")};
  };
  Editor editor(folder_->file("template.db"));
  const auto node = [&](int depth) {
    return editor.text(
        cat("SELECT min(node_no) FROM nodes WHERE run_no = ", run_no(), " AND depth = ", depth));
  };
  for (const char* column : {"parent", "depth", "open_steps", "settled_step", "created_ms",
                             "snapshot", "path_events", "path_bytes"}) {
    const Edit edit = swap("nodes", "node_no", column, node(5), node(30));
    SCOPED_TRACE(edit.name);
    try_cold(edit);
    try_warm(edit);
  }
  for (const char* column : {"body", "at_ms", "hash", "previous"}) {
    const Edit edit =
        swap("commits", "commit_no", column, cat(node(6), "/16"), cat(node(30), "/16"));
    SCOPED_TRACE(edit.name);
    EXPECT_TRUE(try_cold(edit));
    try_warm(edit);
  }
  for (const char* column : {"session_no", "workflow_hash", "tip", "last_commit", "goal"}) {
    const Edit edit = swap("runs", "run_no", column, run_no(),
                           "(SELECT run_no FROM runs WHERE workflow_id = 'other')");
    SCOPED_TRACE(edit.name);
    // Both runs have a wrong entry here, so that only new ones go on.
    const std::string path = fresh();
    ASSERT_TRUE(Editor(path).run(edit.sql));
    for (std::size_t i = 0; i < acts().size() && !acts()[i].writes; ++i) {
      Process process(path, later_ms);
      expect_honest(i, acts()[i].run(process.world, *story_));
      EXPECT_EQ(code_of(start_other(process.world)), "ok");
    }
  }
}

// Enforces: G17
TEST_F(Damage, closes_the_run_for_the_life_of_the_process_and_says_what_does_not_fit) {
  const std::string path = fresh();
  Process process(path, later_ms);
  World& world = process.world;
  const std::string whole = Editor(path).text("SELECT body FROM commits WHERE seq = 31");
  ASSERT_TRUE(Editor(path).run("UPDATE commits SET body = 'no JSON' WHERE seq = 31"));
  const auto refused = world.rehydrate(story_->replies[30].state_token);
  ASSERT_EQ(code_of(refused), damaged);
  EXPECT_THAT(refused.error().message, HasSubstr(story_->fork.reply.run.text()));
  EXPECT_THAT(refused.error().message, HasSubstr("(seq 31): its content does not match its hash"));
  EXPECT_EQ(refused.error().next.kind, Move::salvage_store);
  // More may have been changed: the run stays closed even when this is as it was.
  Editor(path).run(cat("UPDATE commits SET body = '", whole, "' WHERE seq = 31"));
  EXPECT_EQ(code_of(world.rehydrate(story_->fork.state_token)), damaged);
  EXPECT_EQ(code_of(world.advance(*story_->fork.ack_token)), damaged);
  EXPECT_EQ(code_of(shown(world, story_->fork.reply.run)), damaged);
  expect_others_go_on(world);
  world.forget();
  EXPECT_EQ(code_of(world.rehydrate(story_->fork.state_token)), "ok");
}

// Enforces: G17
TEST_F(Damage, a_run_that_was_closed_is_not_advanced_from_memory) {
  const std::string path = fresh();
  Process process(path, later_ms);
  World& world = process.world;
  const SignedReply next = MUST(world.advance(*story_->fork.ack_token, "now it is in memory"));
  ASSERT_TRUE(Editor(path).run("UPDATE commits SET at_ms = at_ms + 1 WHERE seq = 7"));
  ASSERT_EQ(code_of(world.rehydrate(story_->replies[6].state_token)), damaged);
  const std::string last = Editor(path).text("SELECT max(commit_no) FROM commits");
  EXPECT_EQ(code_of(world.advance(*next.ack_token, "on and on")), damaged);
  EXPECT_EQ(Editor(path).text("SELECT max(commit_no) FROM commits"), last);
  expect_others_go_on(world);
}

// Enforces: G17, G8
TEST_F(Damage, lowering_a_revocation_revives_no_token) {
  for (const char* lowered : {"0", "revoked_to - 1", "1"}) {
    const std::string path = fresh();
    {
      Process process(path, later_ms);
      engine::Engine engine = process.world.engine();
      const auto row = MUST(engine::find_run(engine.store, story_->fork.reply.run.text()));
      MUST(verbs::revoke(engine, row));
      EXPECT_EQ(code_of(process.world.advance(*story_->fork.ack_token)), "TOKEN_REVOKED");
    }
    ASSERT_TRUE(Editor(path).run(cat("UPDATE runs SET revoked_to = ", lowered)));
    Process process(path, 2 * later_ms);
    const std::string last = Editor(path).text("SELECT max(commit_no) FROM commits");
    for (const SignedReply* at : {&story_->fork, &story_->replies[5], &story_->replies.back()}) {
      process.world.forget();
      const std::string looked = code_of(process.world.rehydrate(at->state_token));
      EXPECT_TRUE(looked == damaged || looked == "TOKEN_REVOKED") << looked;
      process.world.forget();
      const std::string advanced = code_of(process.world.advance(*at->ack_token, "alive again"));
      EXPECT_TRUE(advanced == damaged || advanced == "TOKEN_REVOKED") << advanced;
    }
    EXPECT_EQ(Editor(path).text("SELECT max(commit_no) FROM commits"), last);
  }
}

// Enforces: G17
TEST_F(Damage, a_good_token_without_its_entry_is_told_of_damage_and_a_forged_one_is_not) {
  const std::string path = fresh();
  ASSERT_TRUE(Editor(path).run("DELETE FROM nodes WHERE depth = 5"));
  Process process(path, later_ms);
  const std::string& token = story_->replies[5].state_token;
  EXPECT_EQ(code_of(process.world.rehydrate(token)), damaged);
  run::UnverifiedToken forged = MUST(run::decode_token(token));
  forged.mac[0] ^= 1;
  EXPECT_EQ(code_of(process.world.rehydrate(run::encode_token(forged))), "TOKEN_BAD_SIGNATURE");
  process.world.principal.name = "another";
  EXPECT_EQ(code_of(process.world.rehydrate(token)), "TOKEN_BAD_SIGNATURE");
}

}  // namespace
}  // namespace baton::testing
