// The suite of the VersionControl port, run against git, Jujutsu, both in one folder, and a file.
// Origin: 003-39, 003-41, 003-42, 003-56, 003-57, 003-60, 003-66

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "support/plan_project.h"

namespace baton::contract {
namespace {

namespace fs = std::filesystem;
using Kind = PlanProject::Kind;
using ports::Replaced;

class VersionControl : public ::testing::TestWithParam<Kind> {};

constexpr std::string_view sample =
    "feat(plan): \"Quoted\" \\ back; # hash\n\n  two spaces, trailing  \n\ttab 日本 é\n\n"
    "- [ ]: It's done\n\n~~~ EXECUTE ~~~\n";

TEST_P(VersionControl, there_is_no_description_at_first) {
  PlanProject project(GetParam());
  const auto read = project.open()->read();
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->text, "");
  EXPECT_FALSE(read->place.empty());
}

TEST_P(VersionControl, what_was_written_is_read_byte_for_byte) {
  PlanProject project(GetParam());
  const auto plan = project.open();
  for (const std::string& text :
       {std::string(sample), std::string("feat: x\r\n\r\ncrlf\r\n"), std::string("-n\n"),
        std::string("\xEF\xBB\xBF"
                    "feat: mark\n"),
        std::string("--help\n")}) {
    set_text(*plan, text);
    EXPECT_EQ(plan->read()->text, text);
  }
}

TEST_P(VersionControl, the_longest_plan_fits) {
  PlanProject project(GetParam());
  const auto plan = project.open();
  for (const std::size_t bytes : {limits::plan_bytes_max, 130'000uz, limits::plan_bytes_ceiling}) {
    std::string text = "feat: \\ \"#;\t\b 日本\r\n  two\n";
    text += std::string(bytes - text.size() - 1, '"') + '\n';
    set_text(*plan, text);
    EXPECT_EQ(plan->read()->text, text) << bytes;
  }
}

TEST_P(VersionControl, of_many_who_wait_for_their_turn_each_writes_at_once) {
  PlanProject project(GetParam());
  constexpr int writers = 4;
  constexpr int lines = 3;
  std::atomic<int> late = 0;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&project, &late, writer] {
      const auto plan = project.open_shared();
      for (int line = 0; line < lines; ++line) {
        const auto turn = plan->take_turn();
        const auto seen = plan->read();
        const auto done = plan->replace(*seen, cat(seen->text, writer, '.', line, '\n'));
        if (!turn || !done || *done != Replaced::yes) ++late;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(late, 0);
  EXPECT_EQ(std::ranges::count(project.open()->read()->text, '\n'), writers * lines);
}

TEST_P(VersionControl, an_edit_by_hand_between_reading_and_writing_is_kept) {
  PlanProject project(GetParam());
  const auto plan = project.open();
  set_text(*plan, "feat: before\n");
  const auto seen = *plan->read();
  project.edit_by_hand("feat: by hand\n");
  const auto replaced = plan->replace(seen, "feat: ours\n");
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(*replaced, Replaced::changed_meanwhile);
  EXPECT_EQ(plan->read()->text, "feat: by hand\n");
}

TEST_P(VersionControl, of_many_writers_none_overwrites_another) {
  PlanProject project(GetParam());
  constexpr int writers = 4;
  constexpr int lines = 3;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&project, writer] {
      const auto plan = project.open();
      for (int line = 0; line < lines; ++line) {
        while (true) {
          const auto seen = *plan->read();
          const auto done = plan->replace(seen, cat(seen.text, writer, '.', line, '\n'));
          if (done && *done == Replaced::yes) break;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = project.open()->read()->text;
  for (int writer = 0; writer < writers; ++writer) {
    for (int line = 0; line < lines; ++line) {
      EXPECT_TRUE(text.contains(cat(writer, '.', line, '\n'))) << text;
    }
  }
  EXPECT_EQ(std::ranges::count(text, '\n'), writers * lines);
}

TEST_P(VersionControl, no_file_of_the_project_is_touched) {
  PlanProject project(GetParam());
  project.write("src/main.c", "int main;\n");
  const auto before = project.files();
  set_text(*project.open(), sample);
  EXPECT_EQ(project.files(), before);
}

TEST_P(VersionControl, subfolders_and_odd_names_are_skipped) {
  PlanProject project(GetParam(), "odd 'name' \"日本\"");
  project.write("a b/c/file", "x");
  if (GetParam() == Kind::file) return set_text(*project.open("a b"), sample);
  set_text(*project.open("a b/c"), sample);
  EXPECT_EQ(project.open()->read()->text, sample);
}

TEST_P(VersionControl, changed_files_are_listed_up_to_their_limit) {
  PlanProject project(GetParam());
  if (GetParam() == Kind::file) {
    EXPECT_TRUE(project.open()->changed_files()->files.empty());
    return;
  }
  const auto letter = GetParam() == Kind::git ? '?' : 'A';
  project.write("new file", "x");
  const auto one = project.open()->changed_files();
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->files, (std::vector<ports::ChangedFile>{{letter, "new file"}}));
  EXPECT_FALSE(one->more);
  for (std::size_t i = 1; i < limits::plan_changed_files_max; ++i) project.write(cat("f", i), "x");
  EXPECT_FALSE(project.open()->changed_files()->more);
  project.write("one more", "x");
  const auto many = *project.open()->changed_files();
  EXPECT_TRUE(many.more);
  EXPECT_EQ(many.files.size(), limits::plan_changed_files_max);
}

std::string kind_name(const ::testing::TestParamInfo<Kind>& info) {
  switch (info.param) {
    case Kind::git: return "git";
    case Kind::jj: return "jj";
    case Kind::colocated: return "colocated";
    case Kind::file: break;
  }
  return "file";
}

INSTANTIATE_TEST_SUITE_P(all, VersionControl,
                         ::testing::Values(Kind::git, Kind::jj, Kind::colocated, Kind::file),
                         kind_name);

class GitPlan : public ::testing::Test {
 protected:
  void commit() {
    project_.write("file", "1");
    project_.run({"git", "add", "."});
    project_.run({"git", "commit", "--quiet", "-m", "first"});
  }
  PlanProject project_{Kind::git};
};

TEST_F(GitPlan, belongs_to_its_branch) {
  commit();
  set_text(*project_.open(), "feat: on main\n");
  project_.run({"git", "switch", "--quiet", "-c", "feat/ü.x'y\"z"});
  EXPECT_EQ(project_.open()->read()->text, "");
  set_text(*project_.open(), "feat: on the other\n");
  EXPECT_EQ(project_.open()->read()->place, "the description of the git branch 'feat/ü.x'y\"z'");
  project_.run({"git", "switch", "--quiet", "main"});
  EXPECT_EQ(project_.open()->read()->text, "feat: on main\n");
}

TEST_F(GitPlan, is_what_git_itself_shows_as_the_description) {
  set_text(*project_.open(), "feat: x\n\ny\n");
  EXPECT_EQ(project_.run({"git", "config", "branch.main.description"}), "feat: x\n\ny\n\n");
}

TEST_F(GitPlan, rewrites_no_history_and_leaves_other_settings_alone) {
  commit();
  project_.run({"git", "config", "some.setting", "kept"});
  const std::string log = project_.run({"git", "reflog", "--all"});
  const std::string objects = project_.run({"git", "count-objects"});
  set_text(*project_.open(), "feat: x\n");
  EXPECT_EQ(project_.run({"git", "reflog", "--all"}), log);
  EXPECT_EQ(project_.run({"git", "count-objects"}), objects);
  EXPECT_EQ(project_.run({"git", "config", "some.setting"}), "kept\n");
  EXPECT_FALSE(fs::exists(project_.folder() / ".git/config.lock"));
  for (const auto& each : fs::directory_iterator(project_.folder() / ".git")) {
    EXPECT_FALSE(each.path().string().contains(".baton-")) << each.path();
  }
}

TEST_F(GitPlan, is_kept_in_settings_of_any_usual_length_and_refused_beyond) {
  const fs::path settings = project_.folder() / ".git/config";
  const auto fill_to = [&](std::size_t bytes) {
    const std::size_t has = fs::file_size(settings);
    std::ofstream(settings, std::ios::app) << std::string(bytes - has - 1, '#') << '\n';
  };
  fill_to(limits::git_config_bytes_max - 1'000);
  set_text(*project_.open(), "feat: x\n");
  EXPECT_EQ(project_.open()->read()->text, "feat: x\n");
  fill_to(limits::git_config_bytes_max + 1);
  const auto plan = project_.open();
  const auto refused = plan->replace(*plan->read(), "feat: y\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
  EXPECT_EQ(plan->read()->text, "feat: x\n");
}

TEST_F(GitPlan, can_be_taken_away) {
  set_text(*project_.open(), "feat: x\n");
  set_text(*project_.open(), "");
  set_text(*project_.open(), "");
  EXPECT_EQ(project_.open()->read()->text, "");
}

TEST_F(GitPlan, has_no_place_on_a_detached_head) {
  commit();
  project_.run({"git", "checkout", "--quiet", "--detach"});
  const auto read = project_.open()->read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::COMMAND_FAILED);
  EXPECT_TRUE(read.error().next.text().contains("git switch -c"));
}

TEST_F(GitPlan, works_in_a_bare_repository_which_has_no_changed_files) {
  project_.run({"git", "init", "--quiet", "--bare", "bare"});
  const auto plan = project_.open("bare");
  set_text(*plan, "feat: bare\n");
  EXPECT_EQ(plan->read()->text, "feat: bare\n");
  EXPECT_TRUE(plan->changed_files()->files.empty());
  EXPECT_EQ(project_.open()->read()->text, "");
}

TEST_F(GitPlan, works_in_a_linked_work_tree) {
  commit();
  project_.run({"git", "worktree", "add", "--quiet", "-b", "side", "linked tree"});
  const auto plan = project_.open("linked tree");
  set_text(*plan, "feat: side\n");
  EXPECT_EQ(plan->read()->text, "feat: side\n");
  EXPECT_EQ(project_.open()->read()->text, "");
}

TEST_F(GitPlan, follows_a_link_to_the_settings) {
  const fs::path config = project_.folder() / ".git/config";
  fs::rename(config, project_.folder() / ".git/real-config");
  fs::create_symlink("real-config", config);
  set_text(*project_.open(), "feat: linked\n");
  EXPECT_TRUE(fs::is_symlink(config));
  EXPECT_EQ(project_.open()->read()->text, "feat: linked\n");
}

TEST_F(GitPlan, keeps_the_mode_of_the_settings) {
  const fs::path config = project_.folder() / ".git/config";
  fs::permissions(config, fs::perms::owner_read | fs::perms::owner_write);
  set_text(*project_.open(), "feat: x\n");
  EXPECT_EQ(fs::status(config).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(GitPlan, runs_no_program_that_the_repository_names) {
  commit();
  const fs::path trace = project_.folder() / "ran";
  project_.write(".git/spy", cat("#!/bin/sh\ntouch '", trace.string(), "'\n"));
  fs::permissions(project_.folder() / ".git/spy", fs::perms::owner_all);
  project_.run({"git", "config", "core.fsmonitor", (project_.folder() / ".git/spy").string()});
  fs::create_directories(project_.folder() / ".git/hooks");
  for (const char* hook : {"post-index-change", "reference-transaction", "fsmonitor-watchman"}) {
    fs::create_symlink("../spy", project_.folder() / ".git/hooks" / hook);
  }
  set_text(*project_.open(), "feat: x\n");
  ASSERT_TRUE(project_.open()->changed_files());
  EXPECT_FALSE(fs::exists(trace));
}

TEST_F(GitPlan, is_that_of_the_folder_and_ignores_the_environment) {
  project_.run({"git", "init", "--quiet", "--initial-branch=main", "other"});
  project_.environment()["GIT_DIR"] = (project_.folder() / "other/.git").string();
  project_.environment()["GIT_INDEX_FILE"] = "/nonexistent";
  set_text(*project_.open(), "feat: here\n");
  EXPECT_EQ(project_.open("other")->read()->text, "");
  EXPECT_EQ(project_.open()->read()->text, "feat: here\n");
}

TEST_F(GitPlan, waits_for_gits_lock_and_then_says_who_holds_it) {
  set_text(*project_.open(), "feat: x\n");
  const auto seen = *project_.open()->read();
  project_.write(".git/config.lock", "");
  const auto refused = project_.open()->replace(seen, "feat: y\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::PLAN_BUSY);
  EXPECT_TRUE(refused.error().retry.after_ms.has_value());
  EXPECT_EQ(project_.open()->read()->text, "feat: x\n");
  fs::remove(project_.folder() / ".git/config.lock");
  EXPECT_EQ(*project_.open()->replace(seen, "feat: y\n"), Replaced::yes);
}

TEST_F(GitPlan, tells_of_a_lock_that_was_left_behind) {
  set_text(*project_.open(), "feat: x\n");
  const auto seen = *project_.open()->read();
  project_.write(".git/config.lock", "");
  fs::last_write_time(project_.folder() / ".git/config.lock",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto refused = project_.open()->replace(seen, "feat: y\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::ENVIRONMENT);
  EXPECT_FALSE(refused.error().retry.after_ms.has_value());
}

TEST_F(GitPlan, needs_git) {
  project_.environment()["PATH"] = "/nonexistent:relative";
  const auto read = project_.open()->read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::COMMAND_FAILED);
  EXPECT_EQ(read.error().message, "'git' is not on the PATH");
}

TEST_F(GitPlan, tells_what_git_complained_about_in_english) {
  project_.write(".git/config", "[broken\n");
  const auto read = project_.open()->read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::COMMAND_NONZERO_EXIT);
  EXPECT_TRUE(read.error().message.contains("bad config")) << read.error().message;
}

TEST(JjPlan, needs_jj_even_where_git_is_there_too) {
  PlanProject alone(Kind::jj);
  alone.environment()["PATH"] = "/usr/bin";
  const auto read = alone.open()->read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::COMMAND_FAILED);
  EXPECT_TRUE(read.error().message.contains("'jj' is not on the PATH"));

  PlanProject both(Kind::colocated);
  EXPECT_TRUE(both.open()->read()->place.contains("Jujutsu"));
  // Not git's description instead, nor its advice.
  both.environment()["PATH"] = "/usr/bin";
  EXPECT_EQ(both.open()->read().error().next.text(),
            "install jj, or put it on the PATH of the program that starts Baton");
}

// Enforces: G16
TEST(JjPlan, starts_no_program_for_any_repository_setting) {
  PlanProject project(Kind::jj);
  PlanProject programs(Kind::file, "programs");  // jj is taken from no folder of the project
  const fs::path told = programs.folder() / "told";
  programs.write("bin/jj", cat("#!/bin/sh\nprintf '%s\\n' \"$@\" \"$EDITOR$GIT_EDITOR\" >> '",
                               told.string(), "'\nprintf 'k\\n'\n"));
  fs::permissions(programs.folder() / "bin/jj", fs::perms::owner_all);
  project.environment()["PATH"] = (programs.folder() / "bin").string();
  project.environment()["EDITOR"] = "evil";
  const auto plan = project.open();
  const auto seen = *plan->read();
  ASSERT_TRUE(plan->replace(seen, "feat: x\n"));
  ASSERT_TRUE(plan->changed_files());
  std::ostringstream text;
  text << std::ifstream(told).rdbuf();
  const std::string words = text.str();
  // Reading, reading again under the lock, writing, listing.
  for (const std::string_view word :
       {"--no-pager\n", "--config=fsmonitor.backend=none\n", "--config=core.fsmonitor=none\n",
        "--config=signing.backend=none\n", "--config=signing.behavior=drop\n",
        "--config=ui.diff-formatter=:summary\n"}) {
    std::size_t times = 0;
    for (std::size_t at = words.find(word); at != std::string::npos;
         at = words.find(word, at + 1)) {
      ++times;
    }
    EXPECT_EQ(times, 4u) << word;
  }
  EXPECT_FALSE(words.contains("evil"));
}

TEST(JjPlan, tells_what_jj_complained_about) {
  PlanProject project(Kind::jj);
  auto seen = *project.open()->read();
  fs::remove_all(project.folder() / ".jj/repo");
  const auto read = project.open()->read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::COMMAND_NONZERO_EXIT);
}

TEST(PlanFile, is_found_by_people_and_leaves_nothing_else_but_its_lock) {
  PlanProject project(Kind::file);
  set_text(*project.open(), "feat: x\n");
  std::vector<std::string> names;
  for (const auto& each : fs::directory_iterator(project.folder() / ".baton")) {
    names.push_back(each.path().filename());
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"plan.lock", "plan.md"}));
}

// Enforces: G19
TEST(PlanFile, is_neither_read_nor_written_through_a_link) {
  PlanProject project(Kind::file);
  const fs::path outside = project.folder().parent_path() / "outside";
  fs::create_directory(outside);
  std::ofstream(outside / "plan.md") << "feat: secret\n";
  const auto expect_closed = [&](std::string_view what) {
    const auto read = project.open()->read();
    EXPECT_FALSE(read && read->text.contains("secret")) << what;
    const auto replaced = project.open()->replace({.place = "", .owner = "", .text = ""}, "x\n");
    EXPECT_FALSE(replaced) << what;
    if (!replaced) {
      EXPECT_EQ(replaced.error().code, Code::ENVIRONMENT) << what;
    }
    std::string text;
    std::getline(std::ifstream(outside / "plan.md"), text);
    EXPECT_EQ(text, "feat: secret") << what;
    EXPECT_FALSE(fs::exists(outside / "plan.lock")) << what;
  };
  fs::create_directory_symlink(outside, project.folder() / ".baton");
  expect_closed("its folder");
  EXPECT_TRUE(
      project.open()->read().error().message.contains((project.folder() / ".baton").string()));
  fs::remove(project.folder() / ".baton");
  fs::create_directory(project.folder() / ".baton");
  fs::create_symlink(outside / "plan.md", project.folder() / ".baton/plan.md");
  expect_closed("the file");
  fs::remove(project.folder() / ".baton/plan.md");
  fs::remove(project.folder() / ".baton/plan.lock");
  fs::create_symlink(outside / "plan.lock", project.folder() / ".baton/plan.lock");
  expect_closed("its lock");
  fs::remove_all(project.folder() / ".baton");
  fs::create_symlink(outside / "nothing", project.folder() / ".baton");
  expect_closed("a link to nothing");
}

// Enforces: G19
TEST(PlanFile, is_not_read_from_a_pipe) {
  PlanProject project(Kind::file);
  fs::create_directory(project.folder() / ".baton");
  ASSERT_EQ(::mkfifo((project.folder() / ".baton/plan.md").c_str(), 0600), 0);
  const auto read = project.open()->read();
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().message.contains(".baton/plan.md is not a regular file"))
      << read.error().message;
}

TEST(PlanFile, is_replaced_by_git_when_the_folder_becomes_a_repository) {
  PlanProject project(Kind::file);
  const auto plan = project.open();
  set_text(*plan, "feat: x\n");
  const auto seen = *plan->read();
  project.run({"git", "init", "--quiet"});
  EXPECT_EQ(*plan->replace(seen, "feat: y\n"), Replaced::changed_meanwhile);
}

}  // namespace
}  // namespace baton::contract
