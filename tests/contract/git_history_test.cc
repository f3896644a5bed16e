// What evidence asks of a git repository, with real ones: which commits are there, which are new,
// and how far both are looked at.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "adapters/evidence/git_history.h"
#include "base/text/text.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

namespace fs = std::filesystem;
using adapters::Git;
using adapters::GitHistory;
using adapters::VcsCommand;
using run::CommitSet;
using run::FreshCommit;

class git_history : public ::testing::Test {
 protected:
  git_history() { git({"init", "-q", "-b", "main"}); }

  std::string work() const { return folder_.path("work"); }
  ports::Environment environment() const {
    return {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
            {"HOME", folder_.path("home")},
            {"GIT_CONFIG_NOSYSTEM", "1"},
            {"GIT_CEILING_DIRECTORIES", folder_.path("")}};
  }

  std::string git(std::vector<std::string> words, std::string input = {}) {
    words.insert(words.begin(), {"git", "-c", "user.name=A", "-c", "user.email=a@example.org"});
    const auto done = adapters::run_command({.words = std::move(words),
                                             .directory = work(),
                                             .environment = environment(),
                                             .input = std::move(input)});
    EXPECT_TRUE(done && done->exit == 0) << (done ? done->errors : done.error().message);
    return done ? done->output.substr(0, done->output.find('\n')) : "";
  }

  std::string commit(std::string_view name) {
    std::ofstream(cat(work(), '/', name)) << name;
    git({"add", "."});
    git({"commit", "-q", "-m", std::string(name)});
    return git({"rev-parse", "HEAD"});
  }

  /// Commits one after the other; `file_of` gives the content of the only file of each. Later ones
  /// are younger.
  static std::string commit_stream(std::string_view ref, std::size_t count, const auto& file_of,
                                   bool are_in_a_row, std::string_view from = {}) {
    std::string out;
    for (std::size_t i = 1; i <= count; ++i) {
      if (!are_in_a_row) out += cat("reset ", ref, "\n\n");
      out += cat("commit ", ref, "\ncommitter A <a@example.org> ", 2'000'000'000 + i,
                 " +0000\ndata 0\n");
      if (i == 1 && !from.empty()) out += cat("from ", from, "\n");
      const std::string text = file_of(i);
      out += cat("M 644 inline file\ndata ", text.size(), '\n', text, "\n\n");
    }
    return out;
  }

  Git open() { return MUST(Git::open({.directory = work()}, environment())); }
  CommitSet commits() { return MUST(GitHistory(git_).commits()); }
  std::vector<FreshCommit> fresh(const CommitSet& known) {
    return MUST(GitHistory(git_).fresh(git({"rev-parse", "HEAD"}), known));
  }
  static std::size_t count(const std::string& ids) { return ids.size() / 20; }

  TempDir folder_;
  const bool is_made_ = fs::create_directories(work());
  Git git_ = open();
};

TEST_F(git_history, of_the_refs_only_those_are_kept_that_no_other_leads_to) {
  commit("first");
  commit("second");
  git({"tag", "old", "HEAD~1"});
  git({"tag", "-a", "-m", "x", "new"});
  git({"branch", "same"});
  EXPECT_EQ(count(commits().named), 1u);
  EXPECT_EQ(commits().others, "");
  git({"checkout", "-q", "-b", "side", "HEAD~1"});
  commit("side");
  EXPECT_EQ(count(commits().named), 2u);
}

TEST_F(git_history, of_work_trees_and_stashes_all_is_known) {
  commit("first");
  git({"worktree", "add", "-q", "--detach", "tree"});
  std::ofstream(cat(work(), "/first")) << "changed";
  git({"stash", "-q"});
  git({"-C", "tree", "commit", "-q", "--allow-empty", "-m", "there"});
  const CommitSet known = commits();
  git({"checkout", "-q", "--detach", "stash"});
  EXPECT_TRUE(fresh(known).empty());
  git({"checkout", "-q", "--detach", git({"-C", "tree", "rev-parse", "HEAD"})});
  EXPECT_TRUE(fresh(known).empty());
}

TEST_F(git_history, digests_of_the_longer_kind_are_known_too) {
  fs::remove_all(cat(work(), "/.git"));
  git({"init", "-q", "-b", "main", "--object-format=sha256"});
  commit("first");
  const CommitSet known = commits();
  EXPECT_EQ(known.id_bytes, 32);
  EXPECT_EQ(known.named.size(), 32u);
  EXPECT_TRUE(fresh(known).empty());
  commit("second");
  EXPECT_EQ(fresh(known).size(), 1u);
}

TEST_F(git_history, commits_that_git_has_cleaned_away_since_do_no_harm) {
  commit("first");
  commit("second");
  git({"reset", "-q", "--hard", "HEAD~1"});
  const CommitSet known = commits();
  EXPECT_EQ(count(known.others), 1u);
  git({"reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"});
  git({"gc", "-q", "--prune=now"});
  EXPECT_TRUE(fresh(known).empty());
  commit("third");
  EXPECT_EQ(fresh(known).size(), 1u);
}

TEST_F(git_history, a_fresh_commit_is_told_with_its_trees_and_what_it_repeats) {
  commit("first");
  const std::string second = commit("second");
  const CommitSet known = commits();
  git({"commit", "-q", "--amend", "-m", "another word"});
  const auto amended = fresh(known);
  ASSERT_EQ(amended.size(), 1u);
  EXPECT_EQ(amended[0].repeats, second);
  EXPECT_EQ(amended[0].tree, git({"rev-parse", "HEAD^{tree}"}));
  EXPECT_EQ(amended[0].parent_trees, std::vector{git({"rev-parse", "HEAD~1^{tree}"})});
  commit("third");
  const auto both = fresh(known);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].repeats, "");
}

TEST_F(git_history, a_shallow_clone_has_commits_to_compare_with) {
  commit("first");
  commit("second");
  git({"clone", "-q", "--depth=1", cat("file://", work()), "clone"});
  git({"-C", "clone", "checkout", "-q", "-b", "more"});
  const Git clone = MUST(Git::open({.directory = cat(work(), "/clone")}, environment()));
  const auto known = MUST(GitHistory(clone).commits());
  EXPECT_TRUE(MUST(GitHistory(clone).repository()).shallow.has_value());
  git({"-C", "clone", "commit", "-q", "--allow-empty", "-m", "third"});
  EXPECT_EQ(MUST(GitHistory(clone).fresh(git({"-C", "clone", "rev-parse", "HEAD"}), known)).size(),
            1u);
}

// Enforces: G9
TEST_F(git_history, commits_are_remembered_up_to_the_limit_and_refused_past_it) {
  commit("first");
  const auto same = [](std::size_t) { return std::string("x"); };
  const auto import = [&](std::size_t more) {
    git({"fast-import", "--quiet", "--force"}, commit_stream("refs/heads/more", more, same, false));
  };
  import(limits::evidence_known_commits_max - 1);
  const CommitSet known = commits();
  EXPECT_EQ(count(known.named) + count(known.others), limits::evidence_known_commits_max);
  EXPECT_TRUE(fresh(known).empty());
  commit("second");
  EXPECT_EQ(fresh(known).size(), 1u);
  git({"checkout", "-q", "--orphan", "one-more"});
  commit("third");
  const auto refused = GitHistory(git_).commits();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
}

// Enforces: G9
TEST_F(git_history, in_a_large_repository_what_refs_and_reflogs_lead_to_is_known) {
  commit("first");
  const std::string logged = commit("second");
  git({"reset", "-q", "--hard", "HEAD~1"});
  const std::string unnamed = git({"commit-tree", "HEAD^{tree}", "-m", "unnamed"});
  EXPECT_EQ(count(commits().others), 2u);
  constexpr std::size_t line_bytes = std::string_view("blob ").size() + 41;
  std::string blobs;
  for (std::size_t i = 0; i <= limits::evidence_listing_bytes_max / line_bytes; ++i) {
    const std::string text = cat(i);
    blobs += cat("blob\ndata ", text.size(), '\n', text, '\n');
  }
  git({"fast-import", "--quiet"}, std::move(blobs));
  const CommitSet known = commits();
  EXPECT_EQ(count(known.others), 1u);
  git({"reset", "-q", "--hard", logged});
  EXPECT_TRUE(fresh(known).empty());
}

// Enforces: G9
TEST_F(git_history, of_the_fresh_commits_the_newest_are_told) {
  commit("first");
  const CommitSet known = commits();
  const auto same = [](std::size_t) { return std::string("x"); };
  const auto import = [&](std::size_t many) {
    git({"fast-import", "--quiet", "--force"},
        commit_stream("refs/heads/many", many, same, true, "refs/heads/main"));
    git({"checkout", "-q", "-f", "--detach", "many"});
  };
  // The oldest of them is the one that changes something.
  const auto changes = [&] {
    std::size_t out = 0;
    for (const FreshCommit& each : fresh(known)) out += each.tree != each.parent_trees.at(0);
    return out;
  };
  import(limits::evidence_fresh_commits_max);
  EXPECT_EQ(fresh(known).size(), limits::evidence_fresh_commits_max);
  EXPECT_EQ(changes(), 1u);
  import(limits::evidence_fresh_commits_max + 1);
  EXPECT_EQ(fresh(known).size(), limits::evidence_fresh_commits_max);
  EXPECT_EQ(changes(), 0u);
}

// Enforces: G15
TEST_F(git_history, an_old_commit_with_a_false_date_is_not_fresh) {
  commit("first");
  // git walks from the youngest date: it meets the parent before its many children and stops.
  std::string stream =
      "commit refs/heads/old\ncommitter A <a@example.org> 2100000000 +0000\n"
      "data 0\nM 644 inline file\ndata 1\nx\n\n";
  for (int i = 1; i <= 40; ++i) {
    stream += cat("commit refs/heads/old\ncommitter A <a@example.org> ", i, " +0000\ndata 0\n\n");
  }
  git({"fast-import", "--quiet"}, stream);
  const CommitSet known = commits();
  git({"checkout", "-q", "-f", "--detach", "old~40"});
  EXPECT_TRUE(fresh(known).empty());
  const std::string made = commit("second");
  const auto found = fresh(known);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].commit, made);
}

// Enforces: G9
TEST_F(git_history, of_the_old_commits_the_newest_are_compared) {
  commit("first");
  const auto numbered = [](std::size_t i) { return cat(i); };
  // The oldest of the branch changes what is committed again, on the same commit as it was.
  for (const std::size_t many :
       {limits::evidence_compared_commits_max, limits::evidence_compared_commits_max + 1}) {
    git({"fast-import", "--quiet", "--force"},
        commit_stream("refs/heads/many", many, numbered, true, "refs/heads/main"));
    const CommitSet known = commits();
    git({"checkout", "-q", "-f", "--detach", "main"});
    std::ofstream(cat(work(), "/file")) << "1";
    git({"add", "file"});
    git({"commit", "-q", "-m", cat("again ", many)});
    const auto again = fresh(known);
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0].repeats.empty(), many > limits::evidence_compared_commits_max);
  }
}

}  // namespace
}  // namespace baton::contract
