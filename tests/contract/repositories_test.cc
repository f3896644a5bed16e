// Looking at a folder's repository, with real git: what is seen, and that nothing in the way is
// an error or takes long.

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "adapters/vcs/repositories.h"
#include "base/text/text.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

using adapters::Environment;
using adapters::GitRepositories;
using ports::RepositoryState;

class repositories : public ::testing::Test {
 protected:
  repositories() {
    std::filesystem::create_directories(root());
    environment_ = {{"PATH", std::getenv("PATH")},
                    {"HOME", folder_.path("home")},
                    {"GIT_CONFIG_NOSYSTEM", "1"},
                    {"GIT_CEILING_DIRECTORIES", std::filesystem::path(root()).parent_path()}};
  }

  std::string root() const { return std::filesystem::canonical(folder_.path("")) / "project"; }

  void git(std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-c", "user.name=A", "-c", "user.email=a@example.org"});
    const auto done = adapters::run_command(
        {.words = std::move(words), .directory = root(), .environment = environment_});
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(done->exit, 0) << done->errors;
  }

  void commit() {
    git({"init", "-q", "-b", "main"});
    git({"commit", "-q", "--allow-empty", "-m", "first"});
  }

  RepositoryState look(const std::string& below = "") {
    return GitRepositories(environment_).look(cat(root(), below));
  }

  TempDir folder_;
  Environment environment_;
};

TEST_F(repositories, root_branch_and_commit_are_seen_from_any_folder_of_it) {
  commit();
  std::filesystem::create_directories(cat(root(), "/a/b c"));
  const RepositoryState seen = look("/a/b c");
  EXPECT_EQ(seen.root, root());
  EXPECT_EQ(seen.branch, "main");
  EXPECT_EQ(seen.head_sha.size(), 40u);
  git({"switch", "-q", "-c", "feature/é"});
  EXPECT_EQ(look().branch, "feature/é");
  EXPECT_EQ(look().head_sha, seen.head_sha);
}

// Enforces: G9
TEST_F(repositories, a_branch_with_a_name_past_the_limit_is_not_seen) {
  commit();
  const std::string half(limits::git_branch_bytes_max / 2, 'b');
  git({"switch", "-q", "-c", cat(half, '/', half)});
  EXPECT_EQ(look().branch, cat(half, '/', half));
  EXPECT_EQ(look().branch.size(), limits::git_branch_bytes_max);
  git({"switch", "-q", "-c", cat(half, "2/", half)});
  EXPECT_EQ(look().branch, "");
  EXPECT_EQ(look().head_sha.size(), 40u);
}

TEST_F(repositories, a_detached_head_has_no_branch) {
  commit();
  git({"checkout", "-q", "--detach"});
  EXPECT_EQ(look().branch, "");
  EXPECT_EQ(look().head_sha.size(), 40u);
}

TEST_F(repositories, before_the_first_commit_only_the_root_is_seen) {
  git({"init", "-q", "-b", "main"});
  EXPECT_EQ(look(), (RepositoryState{root(), "", ""}));
}

TEST_F(repositories, without_a_repository_a_folder_or_git_nothing_is_seen) {
  EXPECT_EQ(look(), RepositoryState{});
  EXPECT_EQ(look("/missing"), RepositoryState{});
  EXPECT_EQ(GitRepositories(environment_).look("relative"), RepositoryState{});
  EXPECT_EQ(GitRepositories(environment_).look(std::string("/a\0b", 4)), RepositoryState{});
  commit();
  environment_["PATH"] = folder_.path("empty");
  EXPECT_EQ(look(), RepositoryState{});
}

// Enforces: G19
TEST_F(repositories, files_are_found_beneath_their_folder_and_nowhere_else) {
  std::filesystem::create_directory(cat(root(), "/docs"));
  std::ofstream(cat(root(), "/docs/a b.md")) << "x";
  GitRepositories seen(environment_);
  EXPECT_TRUE(seen.has_file(root(), "docs/a b.md"));
  EXPECT_TRUE(seen.has_file(root(), "docs/../docs/a b.md"));
  EXPECT_TRUE(seen.has_file(cat(root(), "/docs"), "a b.md"));
  EXPECT_FALSE(seen.has_file(root(), "docs/b.md"));
  // Not even whether something is there is told of what a link leads to.
  std::filesystem::create_symlink("/etc/passwd", cat(root(), "/docs/link"));
  std::filesystem::create_directory_symlink("/etc", cat(root(), "/docs/etc"));
  EXPECT_FALSE(seen.has_file(root(), "docs/link"));
  EXPECT_FALSE(seen.has_file(root(), "docs/etc/passwd"));
  EXPECT_FALSE(seen.has_file(cat(root(), "/docs"), "../docs/a b.md"));
  EXPECT_FALSE(seen.has_file(root(), cat(root(), "/docs/a b.md")));
  EXPECT_FALSE(seen.has_file(root(), ""));
  EXPECT_FALSE(seen.has_file("relative", "docs/a b.md"));
  EXPECT_FALSE(seen.has_file(root(), std::string_view("docs\0", 5)));
}

TEST_F(repositories, a_broken_one_is_not_seen) {
  commit();
  std::ofstream(cat(root(), "/.git/config")) << "[core\n";
  EXPECT_EQ(look(), RepositoryState{});
}

// Enforces: G9
TEST_F(repositories, one_that_does_not_answer_is_abandoned) {
  commit();
  const std::string program = folder_.path("git");
  std::ofstream(program) << "#!/bin/sh\nsleep " << limits::repository_look_ms_max << "\n";
  ::chmod(program.c_str(), 0755);
  environment_["PATH"] =
      cat(std::filesystem::path(program).parent_path().string(), ":", std::getenv("PATH"));
  EXPECT_EQ(look(), RepositoryState{});
}

TEST_F(repositories, nothing_that_its_settings_name_is_run) {
  commit();
  const std::string mark = folder_.path("mark");
  for (const char* key : {"core.fsmonitor", "core.pager", "core.editor", "alias.rev-parse"}) {
    git({"config", key, cat("!touch ", mark)});
  }
  EXPECT_EQ(look().branch, "main");
  EXPECT_FALSE(std::filesystem::exists(mark));
}

}  // namespace
}  // namespace baton::contract
