// `baton verify` as people run it: on tampered stores, for one edit of each sort, and on a healthy
// one while several servers write to it and sessions are removed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "command.h"
#include "support/run_client.h"
#include "trial.h"

namespace baton::audit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Enforces: G4
TEST(tampering, ends_the_real_command_with_1_and_a_sound_store_with_0) {
  const Folder sound;
  Original::get().copy_to(sound);
  EXPECT_EQ(run_baton("verify", sound.db()).code, 0);
  Database database(Original::get().db());
  std::vector<Edit> edits;
  for (Edit& edit : edits_of_rows(database)) {
    if (edit.name.ends_with(" emptied")) edits.push_back(std::move(edit));
  }
  std::set<std::string> kinds;
  for (Edit& edit : edits_of_schema(database)) {
    if (kinds.insert(edit.name.substr(0, edit.name.find(' '))).second) {
      edits.push_back(std::move(edit));
    }
  }
  for (const Edit& edit : edits) {
    const Trial trial(edit);
    ASSERT_EQ(trial.made, Made::yes) << edit.name;
    const Ended found = run_baton("verify", trial.folder().db());
    // A file that claims to be of another release is not opened for a check at all.
    if (edit.name.starts_with("user_version")) {
      EXPECT_NE(found.code, 0) << edit.name;
      continue;
    }
    EXPECT_EQ(found.code, 1) << edit.name << '\n' << found.output;
    static_cast<void>(run_baton("rebuild", trial.folder().db()));
    const Ended again = run_baton("verify", trial.folder().db());
    EXPECT_EQ(again.code, is_derived(edit.table) ? 0 : 1) << edit.name << ", rebuilt\n"
                                                          << again.output;
  }
}

TEST(verifying, says_what_is_wrong_where_it_is_and_what_to_do) {
  const auto output_after = [](const std::string& statements) {
    const Trial trial({"", "by hand", "", statements});
    EXPECT_EQ(trial.made, Made::yes);
    return run_baton("verify", trial.folder().db()).output;
  };
  const std::string index = output_after("UPDATE runs SET epoch = 9 WHERE run_no = 3");
  EXPECT_THAT(index, HasSubstr("problem in the index: table runs, run_no 3: epoch is 9, "
                               "the log says 0\n"));
  EXPECT_THAT(index, HasSubstr("1 problem\nnext, for the index: `baton rebuild`"));
  EXPECT_THAT(index, Not(HasSubstr("for the log")));

  const std::string log = output_after("DELETE FROM sessions WHERE session_no = 3");
  EXPECT_THAT(log, HasSubstr("problem in the log: session number 3: it is missing; "));
  EXPECT_THAT(log, HasSubstr("next, for the log: copy the store's files to a safe place; "
                             "`baton salvage FOLDER`"));

  const std::string file = output_after("CREATE VIEW \"a\x1b[2Jb\" AS SELECT 1");
  EXPECT_THAT(file, HasSubstr("problem in the file: view a\\u001b[2Jb: Baton did not create it\n"));
  EXPECT_THAT(file, HasSubstr("next, for the file: "));
  EXPECT_THAT(file, HasSubstr("checked the store as it was after commit "));
}

/// Calls a real server of its own until it is told to stop.
class WritingServer {
 public:
  WritingServer(const crash::Place& place, std::uint64_t seed)
      : server_(MUST(crash::Server::start({baton_binary(), place, {}, {}}))),
        client_(seed, cat("writer ", seed)),
        thread_([this] { write(); }) {}

  std::int64_t answers() const { return answers_; }

  /// Until it has heard one more answer.
  void wait_for_one() const {
    const std::int64_t seen = answers_;
    while (answers_ == seen && !has_ended_) std::this_thread::yield();
  }

  /// What went wrong, if anything did.
  std::string stop() {
    is_stopping_ = true;
    thread_.join();
    const auto ended = server_->end();
    return ended ? problem_ : ended.error().message;
  }

 private:
  void write() {
    while (!is_stopping_ && problem_.empty()) {
      const auto answer = server_->call(client_.next());
      problem_ = answer ? client_.take(*answer).value_or("") : answer.error().message;
      ++answers_;
    }
    has_ended_ = true;
  }

  std::unique_ptr<crash::Server> server_;
  crash::RunClient client_;
  std::string problem_;  // of the thread's, until it has ended
  std::atomic<std::int64_t> answers_ = 0;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> has_ended_ = false;
  std::thread thread_;
};

/// Starts runs through a server and removes their sessions again.
class Remover {
 public:
  explicit Remover(const crash::Place& place)
      : server_(MUST(crash::Server::start({baton_binary(), place, {}, {}}))),
        store_(MUST(adapters::SqliteStore::open(place.db().string()))) {}

  void remove_one() {
    const crash::Answer started = MUST(server_->call(crash::start_call()));
    const json::Value* session = started.structured.find("session");
    ASSERT_NE(session, nullptr) << json::print(started.structured);
    const auto id = MUST(SessionId::parse(*session->find("sessionId")->if_string()));
    const auto outcome = MUST(store_->purge(id, {1}, WallMs{1}));
    ASSERT_TRUE(std::holds_alternative<ports::Purged>(outcome));
  }

 private:
  std::unique_ptr<crash::Server> server_;
  std::unique_ptr<adapters::SqliteStore> store_;
};

// Enforces: G4
TEST(verifying, a_healthy_store_never_cries_damage_while_servers_write_to_it) {
  constexpr int rounds = 20;
  constexpr std::size_t servers = 3;
  const crash::Scratch scratch;
  const crash::Place place = MUST(crash::make_place(scratch.path() / "place"));
  std::vector<std::unique_ptr<WritingServer>> writers;
  for (std::size_t i = 0; i < servers; ++i) {
    writers.push_back(std::make_unique<WritingServer>(place, i + 1));
  }
  // A server makes the keys before the store; a bare store would look as if it had lost them.
  writers.front()->wait_for_one();
  Remover remover(place);
  std::int64_t beside = 0;  // answers that came while a check ran
  for (int round = 0; round < rounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(remover.remove_one());
    // Every writer has written since the last round, however slow the machine is.
    std::vector<std::int64_t> before;
    for (const auto& writer : writers) {
      writer->wait_for_one();
      before.push_back(writer->answers());
    }
    const Ended ended = run_baton("verify", place.db());
    EXPECT_EQ(ended.code, 0) << "round " << round << '\n' << ended.output;
    for (std::size_t i = 0; i < servers; ++i) beside += writers[i]->answers() - before[i];
  }
  for (const auto& writer : writers) EXPECT_EQ(writer->stop(), "");
  EXPECT_GT(beside, rounds) << "nobody wrote while the checks ran, which proves nothing";
  EXPECT_EQ(run_baton("verify", place.db()).code, 0);
}

}  // namespace
}  // namespace baton::audit
