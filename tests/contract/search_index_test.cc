// The suite of the SearchIndex port, over memory and the file beside a store, and what is special
// about the file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sys/stat.h>

#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "adapters/store/memory/memory_search.h"
#include "adapters/store/sqlite/search_index.h"
#include "base/core/limits.h"
#include "base/text/text.h"
#include "support/acts.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

using ports::IndexMark;
using ports::SearchCommit;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What a find gives, by run.
struct Found final : run::FoundRuns {
  void begin(std::int64_t count, std::span<const std::int64_t> with) override {
    runs_count = count;
    with_word.assign(with.begin(), with.end());
  }
  void add(const run::FoundRun& found) override { runs[found.run] = found; }

  std::int64_t runs_count = 0;
  std::vector<std::int64_t> with_word;
  std::map<RunId, run::FoundRun> runs;
};

Found found(ports::SearchIndex& index, const std::vector<std::string>& words) {
  Found out;
  const auto done = index.find(words, out);
  EXPECT_TRUE(done) << done.error().message;
  return out;
}

IndexMark mark_of(std::int64_t commit, std::uint64_t session) {
  return {{commit}, session_id(session), sha256(cat("commit ", commit))};
}

SearchCommit start(std::int64_t commit, std::uint64_t run, std::vector<std::string> words = {}) {
  SearchCommit out{mark_of(commit, run), {}, "Fix a bug"};
  out.found.started = run::RunStarted{run_id(run), "bug.fix", {}, "goal"};
  out.found.run = run_id(run);
  out.found.around = {"/home/w", "/home", "main", "abc1234", "local"};
  out.found.words = std::move(words);
  return out;
}

/// A commit of a run.
SearchCommit say(std::int64_t commit, std::uint64_t run, std::vector<std::string> words) {
  SearchCommit out{mark_of(commit, run), {}, {}};
  out.found.run = run_id(run);
  std::ranges::sort(words);  // as searchable() gives them
  out.found.words = std::move(words);
  return out;
}

struct IndexKind {
  const char* name;
  std::unique_ptr<ports::SearchIndex> (*make)(const TempDir& folder);
};

std::unique_ptr<ports::SearchIndex> make_memory_index(const TempDir&) {
  return std::make_unique<adapters::MemorySearch>();
}
std::unique_ptr<ports::SearchIndex> make_file_index(const TempDir& folder) {
  return std::make_unique<adapters::SqliteSearch>(folder.path("store.db"));
}
std::unique_ptr<ports::SearchIndex> make_placeless_index(const TempDir&) {
  return std::make_unique<adapters::SqliteSearch>("/proc/nowhere/store.db");
}

constexpr IndexKind kinds[] = {{"memory", make_memory_index},
                               {"sqlite", make_file_index},
                               {"sqlite_without_a_place", make_placeless_index}};

class SearchIndex : public ::testing::TestWithParam<IndexKind> {
 protected:
  void add(const std::vector<SearchCommit>& commits) {
    const auto done = index().add(got(index().mark()), commits);
    ASSERT_TRUE(done) << done.error().message;
  }
  ports::SearchIndex& index() { return *index_; }

 private:
  TempDir folder_;
  std::unique_ptr<ports::SearchIndex> index_ = GetParam().make(folder_);
};

TEST_P(SearchIndex, is_empty_at_first) {
  EXPECT_EQ(got(index().mark()), IndexMark{});
  const Found all = found(index(), {"word"});
  EXPECT_EQ(all.runs_count, 0);
  EXPECT_THAT(all.with_word, ElementsAre(0));
  EXPECT_THAT(all.runs, IsEmpty());
}

TEST_P(SearchIndex, gives_runs_with_the_text_around_the_words) {
  add({start(1, 1)});
  const Found all = found(index(), {});
  ASSERT_EQ(all.runs.size(), 1u);
  const run::FoundRun& run = all.runs.at(run_id(1));
  EXPECT_EQ(run.session, session_id(1));
  EXPECT_EQ(run.workflow_id, "bug.fix");
  EXPECT_EQ(run.workflow_name, "Fix a bug");
  EXPECT_EQ(run.around, (run::RunSurroundings{"/home/w", "/home", "main", "abc1234", "local"}));
  EXPECT_EQ(run.last.value, 1);
  EXPECT_EQ(run.words, 0u);
  EXPECT_EQ(run.best.value, 0);
}

TEST_P(SearchIndex, words_are_found_across_the_commits_of_a_run) {
  add({start(1, 1, {"goal"}), start(2, 2), say(3, 1, {"login", "redirect"}), say(4, 2, {"login"}),
       say(5, 1, {"cookie"})});
  const Found all = found(index(), {"login", "cookie", "goal", "absent"});
  EXPECT_THAT(all.with_word, ElementsAre(2, 1, 1, 0));
  EXPECT_EQ(all.runs.at(run_id(1)).words, 0b0111u);
  EXPECT_EQ(all.runs.at(run_id(1)).best.value, 5) << "of equally good commits the newest";
  EXPECT_EQ(all.runs.at(run_id(1)).last.value, 5);
  EXPECT_EQ(all.runs.at(run_id(2)).words, 0b0001u);
  EXPECT_EQ(all.runs.at(run_id(2)).best.value, 4);
  EXPECT_EQ(found(index(), {"redirect", "login"}).runs.at(run_id(1)).best.value, 3);
}

TEST_P(SearchIndex, takes_words_of_any_script_and_as_they_are) {
  add({start(1, 1), say(2, 1, {"é", "naïve", "ошибка", "日本"}),
       say(3, 1, {"and", "near", "not", "or"})});
  for (const std::string word : {"é", "naïve", "ошибка", "日本", "and", "or", "not", "near"}) {
    EXPECT_THAT(found(index(), {word}).with_word, ElementsAre(1)) << word;
  }
  for (const std::string word : {"e", "naive", "日", "nea"}) {
    EXPECT_THAT(found(index(), {word}).with_word, ElementsAre(0)) << word;
  }
}

TEST_P(SearchIndex, what_was_taken_in_by_another_is_not_taken_in_twice) {
  add({start(1, 1)});
  ASSERT_TRUE(index().add(IndexMark{}, std::vector{start(1, 1), say(2, 1, {"word"})}));
  EXPECT_EQ(got(index().mark()), mark_of(1, 1));
  EXPECT_THAT(found(index(), {"word"}).with_word, ElementsAre(0));
}

TEST_P(SearchIndex, forgets_a_session_and_nothing_else) {
  add({start(1, 1, {"same"}), start(2, 2, {"same"}), say(3, 1, {"word"})});
  ASSERT_TRUE(index().forget(session_id(1)));
  ASSERT_TRUE(index().forget(session_id(77)));
  const Found all = found(index(), {"same", "word"});
  EXPECT_THAT(all.with_word, ElementsAre(1, 0));
  EXPECT_EQ(all.runs.size(), 1u);
  EXPECT_EQ(got(index().mark()), mark_of(3, 1)) << "the mark stays where it is";
  // Late commits of a forgotten run bring nothing back.
  add({say(4, 1, {"word"})});
  EXPECT_THAT(found(index(), {"word"}).with_word, ElementsAre(0));
}

TEST_P(SearchIndex, a_run_whose_tokens_are_void_is_not_offered) {
  SearchCommit revoking{mark_of(3, 1), {}, {}};
  revoking.found.revoked = {run_id(1)};
  add({start(1, 1, {"word"}), start(2, 2), revoking});
  const Found all = found(index(), {"word"});
  EXPECT_THAT(all.with_word, ElementsAre(0));
  EXPECT_FALSE(all.runs.contains(run_id(1)));
  EXPECT_TRUE(all.runs.contains(run_id(2)));
}

TEST_P(SearchIndex, commits_without_a_run_only_move_the_mark) {
  SearchCommit task{mark_of(1, 9), {}, {}};
  add({task});
  EXPECT_EQ(got(index().mark()), mark_of(1, 9));
  EXPECT_EQ(found(index(), {}).runs_count, 0);
}

TEST_P(SearchIndex, is_empty_after_it_was_cleared) {
  add({start(1, 1, {"word"})});
  ASSERT_TRUE(index().clear());
  EXPECT_EQ(got(index().mark()), IndexMark{});
  EXPECT_EQ(found(index(), {"word"}).runs_count, 0);
  add({start(1, 1, {"word"})});
  EXPECT_THAT(found(index(), {"word"}).with_word, ElementsAre(1));
}

TEST_P(SearchIndex, is_claimed_again_after_the_claim_was_released) {
  auto claim = index().claim(0);
  ASSERT_NE(claim, nullptr);
  claim.reset();
  EXPECT_NE(index().claim(0), nullptr);
}

INSTANTIATE_TEST_SUITE_P(contract, SearchIndex, ::testing::ValuesIn(kinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

RC_GTEST_PROP(search_index, memory_and_file_say_the_same, ()) {
  const std::vector<std::string> words = {"a", "b", "c", "d"};
  TempDir folder;
  adapters::MemorySearch memory;
  adapters::SqliteSearch file(folder.path("store.db"));
  std::int64_t commit = 0;
  std::set<std::uint64_t> started;  // a run is started once
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
  for (const int step : steps) {
    const auto run = static_cast<std::uint64_t>(step % 5 + 1);
    SearchCommit next{mark_of(++commit, run), {}, {}};
    if (step < 40 && started.insert(run).second) {
      next = start(commit, run, {words[static_cast<std::size_t>(step % 4)]});
    } else if (step < 90) {
      next = say(commit, run, {"a", words[static_cast<std::size_t>(step % 4)]});
      next.found.words.erase(std::ranges::unique(next.found.words).begin(), next.found.words.end());
    } else if (step < 95) {
      next.found.revoked = {run_id(run)};
    }
    for (ports::SearchIndex* index :
         {static_cast<ports::SearchIndex*>(&memory), static_cast<ports::SearchIndex*>(&file)}) {
      RC_ASSERT(index->add(index->mark().value(), std::vector{next}).has_value());
      if (step >= 95) RC_ASSERT(index->forget(session_id(run)).has_value());
    }
  }
  const Found one = found(memory, words);
  const Found other = found(file, words);
  RC_ASSERT(one.runs_count == other.runs_count);
  RC_ASSERT(one.with_word == other.with_word);
  RC_ASSERT(one.runs.size() == other.runs.size());
  for (const auto& [id, run] : one.runs) {
    const run::FoundRun& twin = other.runs.at(id);
    RC_ASSERT(run.words == twin.words && run.best == twin.best && run.last == twin.last);
  }
}

// --- the file ---------------------------------------------------------------------------------

using adapters::SqliteSearch;

TEST(search_file, keeps_what_it_was_told) {
  TempDir folder;
  ASSERT_TRUE(SqliteSearch(folder.path("s.db")).add({}, std::vector{start(1, 1, {"word"})}));
  SqliteSearch again(folder.path("s.db"));
  EXPECT_EQ(got(again.mark()), mark_of(1, 1));
  EXPECT_THAT(found(again, {"word"}).with_word, ElementsAre(1));
}

TEST(search_file, a_damaged_one_is_rebuilt) {
  TempDir folder;
  std::ofstream(folder.path("s.db.search")) << std::string(8192, 'x');
  SqliteSearch index(folder.path("s.db"));
  EXPECT_EQ(got(index.mark()), IndexMark{});
  ASSERT_TRUE(index.add({}, std::vector{start(1, 1)}));
  EXPECT_EQ(got(SqliteSearch(folder.path("s.db")).mark()), mark_of(1, 1));
}

TEST(search_file, one_damaged_while_it_is_open_is_cleared_and_good_again) {
  TempDir folder;
  {
    SqliteSearch index(folder.path("s.db"));
    ASSERT_TRUE(index.add({}, std::vector{start(1, 1, {"word"})}));
  }
  {
    std::fstream file(folder.path("s.db.search"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(60'000, 'x');
  }
  SqliteSearch index(folder.path("s.db"));
  static_cast<void>(index.add(mark_of(1, 1), std::vector{say(2, 1, {"more"})}));
  ASSERT_TRUE(index.clear());
  ASSERT_TRUE(index.add({}, std::vector{start(1, 1, {"word"})}));
  EXPECT_THAT(found(index, {"word"}).with_word, ElementsAre(1));
}

/// Fills in more from another thread while a run is being told.
struct FillingIn final : run::FoundRuns {
  explicit FillingIn(ports::SearchIndex& the_index) : index(the_index) {}
  void begin(std::int64_t, std::span<const std::int64_t>) override {}
  void add(const run::FoundRun&) override {
    std::thread other([this] {
      is_filled = index.add(mark_of(1, 1), std::vector{say(2, 1, {"more"})}).has_value();
    });
    other.join();
  }
  ports::SearchIndex& index;
  bool is_filled = false;
};

// Enforces: G9
TEST(search_file, is_filled_while_others_search_it) {
  TempDir folder;
  SqliteSearch index(folder.path("s.db"));
  ASSERT_TRUE(index.add({}, std::vector{start(1, 1, {"word"})}));
  FillingIn filling(index);
  ASSERT_TRUE(index.find({}, filling));
  EXPECT_TRUE(filling.is_filled);
  EXPECT_EQ(got(index.mark()), mark_of(2, 1));
}

TEST(search_file, one_process_at_a_time_has_the_claim_to_fill_it) {
  TempDir folder;
  SqliteSearch first(folder.path("s.db"));
  SqliteSearch second(folder.path("s.db"));
  auto claim = first.claim(0);
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(second.claim(0), nullptr);
  EXPECT_EQ(second.claim(20), nullptr) << "it was waited for and not given up";
  claim.reset();
  claim = second.claim(0);
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(first.claim(0), nullptr);
}

TEST(search_file, a_claim_that_is_not_a_file_does_not_block) {
  TempDir folder;
  ASSERT_EQ(::mkdir(folder.path("s.db.search-lock").c_str(), 0700), 0);
  SqliteSearch first(folder.path("s.db"));
  SqliteSearch second(folder.path("s.db"));
  const auto claim = first.claim(0);
  EXPECT_NE(claim, nullptr);
  EXPECT_NE(second.claim(0), nullptr);
}

TEST(search_file, of_two_processes_that_catch_up_at_once_each_commit_is_taken_in_once) {
  TempDir folder;
  SqliteSearch first(folder.path("s.db"));
  ASSERT_TRUE(first.add({}, std::vector{start(1, 1)}));
  const auto work = [&] {
    SqliteSearch index(folder.path("s.db"));
    while (true) {
      const auto mark = index.mark();
      if (!mark) continue;
      if (mark->commit.value >= 200) break;
      const std::int64_t next = mark->commit.value + 1;
      static_cast<void>(index.add(*mark, std::vector{say(next, 1, {cat("w", next)})}));
    }
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  EXPECT_EQ(got(first.mark()), mark_of(200, 1));
  for (const int n : {2, 77, 200}) {
    EXPECT_THAT(found(first, {cat("w", n)}).with_word, ElementsAre(1)) << n;
  }
}

// Enforces: G9
TEST(search_index, a_word_counts_in_so_many_commits_and_not_more) {
  const auto most = static_cast<std::int64_t>(limits::search_hits_max);
  adapters::MemorySearch memory;
  TempDir folder;
  SqliteSearch file(folder.path("s.db"));
  for (ports::SearchIndex* index :
       {static_cast<ports::SearchIndex*>(&memory), static_cast<ports::SearchIndex*>(&file)}) {
    std::vector<SearchCommit> commits = {start(1, 1, {"word"}), start(2, 2)};
    for (std::int64_t no = 3; no <= most + 1; ++no) commits.push_back(say(no, 2, {"word"}));
    ASSERT_TRUE(index->add({}, commits));
    EXPECT_THAT(found(*index, {"word"}).with_word, ElementsAre(2));
    ASSERT_TRUE(index->add(got(index->mark()), std::vector{say(most + 2, 2, {"word"})}));
    EXPECT_THAT(found(*index, {"word"}).with_word, ElementsAre(1)) << "the oldest no longer counts";
  }
}

}  // namespace
}  // namespace baton::contract
