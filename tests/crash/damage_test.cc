// The store's file edited with SQL while the unmodified server serves it, and before it starts: the
// run whose history does not fit is closed, and the others go on in the same process.

#include <sqlite3.h>

#include <sstream>

#include "base/text/text.h"
#include "support/walk.h"

namespace baton::crash {
namespace {

constexpr const char* closed = "STORAGE_CORRUPTION_DETECTED";
constexpr std::string_view tampered = "the spoon was never sold";

/// Runs SQL on a store that others have open, without the triggers that protect it.
void edit(const Place& place, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open_v2(place.db().c_str(), &db, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
  sqlite3_busy_timeout(db, 5'000);
  const std::string all =
      cat("DROP TRIGGER IF EXISTS commits_are_final; DROP TRIGGER IF EXISTS commits_stay;"
          "DROP TRIGGER IF EXISTS blobs_are_final; DROP TRIGGER IF EXISTS workflows_are_final;",
          sql);
  EXPECT_EQ(sqlite3_exec(db, all.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db) << '\n'
      << sql;
  EXPECT_GT(sqlite3_total_changes(db), 0) << sql;
  sqlite3_close(db);
}

/// Replaces the store in one folder, and all that belongs to it, by that of another.
void copy_store(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::filesystem::create_directories(to);
  const auto files_of = [](const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with("runs.db")) out.push_back(entry.path());
    }
    return out;
  };
  for (const auto& old : files_of(to)) std::filesystem::remove(old);
  for (const auto& file : files_of(from)) std::filesystem::copy_file(file, to / file.filename());
}

struct Said {
  int exit = 0;
  std::string text;
};

/// One command of `baton` on the place, with what it wrote to both streams.
Said baton(const Place& place, std::vector<std::string> words) {
  const std::filesystem::path errors = place.folder / "errors";
  std::filesystem::remove(errors);
  words.insert(words.begin(), std::getenv("BATON_BINARY"));
  words.insert(words.end(), {"--db", place.db().string()});
  const auto child = MUST(Child::start({.words = std::move(words),
                                        .environment = {cat("HOME=", place.folder.string())},
                                        .errors = errors}));
  child->close_input();
  Said said;
  while (true) {
    const Child::Line line = child->read_line(answer_wait_ms_max);
    if (line.heard != Child::Heard::line) break;
    said.text += line.text + '\n';
  }
  said.exit = child->wait();
  std::ostringstream out;
  if (std::FILE* file = std::fopen(errors.c_str(), "rb")) {
    for (int c = 0; (c = std::fgetc(file)) != EOF;) said.text += static_cast<char>(c);
    std::fclose(file);
  }
  return said;
}

/// A run that is to be damaged and another one, both with some steps behind them.
class Edited : public ::testing::Test {
 protected:
  struct Run {
    std::string id;
    std::string first_ack;
    std::string first_state;
    std::string ack;
    std::string state;
  };

  Edited() : place_(MUST(make_place(scratch_.path()))) {
    serve();
    damaged_ = begin("spoon");
    other_ = begin("fork");
  }

  void serve() {
    server_.reset();
    server_ = MUST(Server::start({.binary = std::getenv("BATON_BINARY"),
                                  .place = place_,
                                  .wrapper = {},
                                  .environment = {}}));
  }

  Answer call(const Call& call) { return MUST(server_->call(call)); }

  Run begin(std::string_view word) {
    Answer answer =
        call({"start_workflow", {{"workflowId", workflow_id}, {"goal", cat("sell a ", word)}}});
    Run run;
    const json::Value* session = answer.structured.find("session");
    run.id = *session->find("runId")->if_string();
    for (int i = 0; i < 20; ++i) {
      answer = call(advance_call(answer.field("ackToken"), cat("the ", word, " at step ", i)));
      EXPECT_EQ(answer.code, "") << answer.text;
      if (i == 4) run.first_ack = answer.field("ackToken");
      if (i == 4) run.first_state = answer.field("stateToken");
    }
    run.ack = answer.field("ackToken");
    run.state = answer.field("stateToken");
    return run;
  }

  static Call resume_call(std::string_view words) { return {"resume_session", {{"query", words}}}; }

  /// Every way to use the run is closed, and no part of it is returned.
  void expect_closed(bool is_log) {
    EXPECT_EQ(call(look_call(damaged_.state)).code, closed);
    EXPECT_EQ(call(look_call(damaged_.first_state)).code, closed);
    EXPECT_EQ(call(advance_call(damaged_.ack, "on")).code, closed);
    EXPECT_EQ(call(advance_call(damaged_.first_ack, "the spoon at step 5")).code, closed);
    // The other run may be offered instead.
    const Answer resumed = call(resume_call("spoon"));
    EXPECT_EQ(resumed.code, "");
    EXPECT_FALSE(resumed.result.contains(cat("\"runId\":\"", damaged_.id))) << resumed.result;
    for (const char* verb : {"show", "log", "export"}) {
      const Said said = baton(place_, {verb, damaged_.id});
      EXPECT_FALSE(said.text.contains(tampered)) << verb << ": " << said.text;
      if (!is_log) continue;  // a command that reads the log alone still tells the truth
      EXPECT_NE(said.exit, 0) << verb;
      EXPECT_TRUE(said.text.contains(closed)) << verb << ": " << said.text;
    }
    const Said listed = baton(place_, {"runs"});
    EXPECT_EQ(listed.exit, 0) << listed.text;
    EXPECT_TRUE(listed.text.contains(other_.id)) << listed.text;
    EXPECT_NE(baton(place_, {"verify"}).exit, 0);
  }

  void expect_others_go_on() {
    const Answer looked = call(look_call(other_.state));
    EXPECT_EQ(looked.code, "") << looked.text;
    const Answer next = call(advance_call(looked.field("ackToken"), "the fork goes on"));
    EXPECT_EQ(next.code, "") << next.text;
    other_.state = next.field("stateToken");
    EXPECT_EQ(call(start_call()).code, "");
    EXPECT_EQ(call(resume_call("fork")).code, "");
    for (const char* verb : {"show", "log", "export"}) {
      EXPECT_EQ(baton(place_, {verb, other_.id}).exit, 0) << verb;
    }
  }

  Scratch scratch_;
  Place place_;
  std::unique_ptr<Server> server_;
  Run damaged_;
  Run other_;
};

// The damaged run is the first: its session has number 1, its nodes are those of commits 1 to 21.
struct Kind {
  const char* name;
  std::string sql;
  bool is_log = true;  // the log was edited, not a row that follows from it
};

const Kind kinds[] = {
    {"a body that is not JSON", "UPDATE commits SET body = 'gone' WHERE commit_no = 21"},
    {"a body that still parses",
     cat("UPDATE commits SET body = replace(body, 'the spoon at step', '", tampered,
         "') WHERE session_no = 1")},
    {"an instant", "UPDATE commits SET at_ms = at_ms - 1 WHERE session_no = 1"},
    {"a hash of a wrong size", "UPDATE commits SET hash = x'00' WHERE session_no = 1"},
    {"a gap in the log", "DELETE FROM commits WHERE session_no = 1 AND seq IN (6, 20)"},
    {"open steps", "UPDATE nodes SET open_steps = '[\"step-40\"]' WHERE run_no = 1", false},
    {"open steps that are no list", "UPDATE nodes SET open_steps = '{' WHERE run_no = 1", false},
    {"parents", "UPDATE nodes SET parent = 16 WHERE run_no = 1 AND parent IS NOT NULL", false},
    {"a node's run", "UPDATE nodes SET run_no = (SELECT max(run_no) FROM runs) WHERE run_no = 1",
     false},
    {"kinds", "UPDATE nodes SET kind = 9 WHERE run_no = 1", false},
};

// Enforces: G17
TEST_F(Edited, any_edit_closes_its_run_and_no_other) {
  ASSERT_TRUE(server_->end());
  const std::filesystem::path whole = scratch_.path() / "whole";
  copy_store(place_.folder, whole);
  for (const Kind& kind : kinds) {
    for (const bool is_live : {false, true}) {
      SCOPED_TRACE(cat(kind.name, is_live ? ", under a server" : ", before the server starts"));
      server_.reset();
      copy_store(whole, place_.folder);
      if (is_live) {
        // A server that has the other run in memory, and has looked into the store.
        serve();
        EXPECT_EQ(call(look_call(other_.state)).code, "");
        edit(place_, kind.sql);
      } else {
        edit(place_, kind.sql);
        serve();
      }
      const std::string kept = other_.state;
      expect_closed(kind.is_log);
      expect_others_go_on();
      other_.state = kept;
      EXPECT_TRUE(server_->end());
    }
  }
}

// Enforces: G17
TEST_F(Edited, an_entry_that_was_edited_closes_the_run_where_it_is_used) {
  for (const char* change : {"tip = 16", "is_complete = 1", "workflow_hash = zeroblob(32)",
                             "last_commit = 1", "goal = 'nothing'", "session_no = 22"}) {
    SCOPED_TRACE(change);
    server_.reset();
    edit(place_, cat("CREATE TABLE kept AS SELECT * FROM runs WHERE run_no = 1;"
                     "UPDATE runs SET ",
                     change, " WHERE run_no = 1"));
    serve();
    for (const char* verb : {"show", "log", "export"}) {
      const Said said = baton(place_, {verb, damaged_.id});
      EXPECT_TRUE(said.text.contains(closed)) << verb << ": " << said.text;
    }
    EXPECT_TRUE(baton(place_, {"runs"}).text.contains("damaged"));
    expect_others_go_on();
    server_.reset();
    edit(place_,
         "DELETE FROM runs WHERE run_no = 1; INSERT INTO runs SELECT * FROM kept; DROP TABLE kept");
  }
}

// Enforces: G17, G10
TEST_F(Edited, a_revocation_that_was_taken_back_in_the_file_stays) {
  EXPECT_EQ(baton(place_, {"revoke", damaged_.id}).exit, 0);
  edit(place_, "UPDATE runs SET revoked_to = 0 WHERE run_no = 1");
  for (const std::string& state : {damaged_.state, damaged_.first_state}) {
    const std::string code = call(look_call(state)).code;
    EXPECT_TRUE(code == closed || code == "TOKEN_REVOKED") << code;
  }
  const std::string code = call(advance_call(damaged_.ack, "alive again")).code;
  EXPECT_TRUE(code == closed || code == "TOKEN_REVOKED") << code;
  expect_others_go_on();
}

}  // namespace
}  // namespace baton::crash
