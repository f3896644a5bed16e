// Ways to have a step closed without its work, each tried on the real server in a real repository,
// on both surfaces that run steps. None of them passes; the work itself does.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "adapters/vcs/command.h"
#include "base/text/text.h"
#include "support/server.h"

namespace baton {
namespace {

namespace fs = std::filesystem;
using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view flow = R"(
id: site
inputs: {commit: {type: string, default: none}}
steps:
  - id: do
    prompt: Do it.
    evidence: [%]
  - {id: after, prompt: Rest.}
)";

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// The outcome of an attempt.
struct Told {
  bool has_passed = false;
  std::string blockers;  // a line for each: its code, kind and value of the pointer, and message
};

class Cheats : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    fs::create_directories(work());
    git({"init", "-q", "-b", "main"});
    write(work() / "old.txt", "old work\n");
    write(work() / "check.sh", "#!/bin/sh\ngrep -q done out.txt\n");
    ::chmod((work() / "check.sh").c_str(), 0700);
    write(scratch_.path() / "outside.txt", "of another work\n");
    git({"add", "."});
    git({"commit", "-q", "-m", "first"});
  }

  fs::path work() const { return scratch_.path() / "work"; }
  fs::path other() const { return scratch_.path() / "other"; }
  bool is_rail() const { return GetParam() == "rail"; }

  std::string git(std::vector<std::string> words) { return git_in(work(), std::move(words)); }

  std::string git_in(const fs::path& folder, std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c",
                                 "protocol.file.allow=always"});
    // One time for all commits: a check by dates would be wrong.
    const auto done =
        adapters::run_command({.words = std::move(words),
                               .directory = folder.string(),
                               .environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                               {"HOME", scratch_.path().string()},
                                               {"GIT_AUTHOR_DATE", "1700000000 +0000"},
                                               {"GIT_COMMITTER_DATE", "1700000000 +0000"}}});
    EXPECT_TRUE(done && done->exit == 0) << (done ? done->errors : done.error().message);
    return done ? done->output.substr(0, done->output.find('\n')) : std::string();
  }

  /// A commit with a change of its own; gives its digest.
  std::string commit(const std::string& name) {
    write(work() / cat(name, ".txt"), name);
    git({"add", "."});
    git({"commit", "-q", "-m", name});
    return git({"rev-parse", "HEAD"});
  }

  /// Another repository, with a commit that the first has not; gives its digest.
  std::string commit_elsewhere() {
    git({"clone", "-q", ".", other().string()});
    write(other() / "elsewhere.txt", "of another work\n");
    git_in(other(), {"add", "."});
    git_in(other(), {"commit", "-q", "-m", "elsewhere"});
    return git_in(other(), {"rev-parse", "HEAD"});
  }

  void serve(bool may_run) {
    if (server_ != nullptr) {
      EXPECT_TRUE(server_->end());
    }
    const fs::path& folder = scratch_.path();
    crash::Command command;
    command.words = {std::getenv("BATON_BINARY"),
                     "serve",
                     "--surface",
                     std::string(GetParam()),
                     "--db",
                     (folder / "runs.db").string(),
                     "--workflows",
                     (folder / "flows").string()};
    if (may_run) command.words.emplace_back("--allow-shell");
    command.environment = {cat("HOME=", folder.string())};
    command.errors = folder / "stderr";
    server_ = std::make_unique<crash::Server>(MUST(crash::Child::start(command)));
  }

  /// Lets a step with this evidence become open.
  void begin(std::string_view evidence, Object inputs = {}, bool may_run = true,
             const fs::path& workspace = {}) {
    std::string text(flow);
    text.replace(text.find('%'), 1, evidence);
    write(scratch_.path() / "flows/site.yaml", text);
    serve(may_run);
    const std::string folder = (workspace.empty() ? work() : workspace).string();
    const crash::Answer started = MUST(server_->call(
        is_rail()
            ? crash::Call{"start_workflow",
                          {{"workflowId", "site"}, {"workspacePath", folder}, {"context", inputs}}}
            : crash::Call{"workflow_start",
                          {{"workflow", "site"}, {"workspace_path", folder}, {"inputs", inputs}}}));
    ASSERT_FALSE(started.is_error()) << started.text;
    token_ = started.field(is_rail() ? "ackToken" : "workflow_id");
  }

  /// Says that the step is done.
  Told claim(const Array& artifacts = {}) {
    const Object output{{"notesMarkdown", "All done, every test passes."},
                        {"artifacts", artifacts}};
    const crash::Answer answer = MUST(server_->call(
        is_rail() ? crash::Call{"continue_workflow", {{"ackToken", token_}, {"output", output}}}
                  : crash::Call{"workflow_step_complete",
                                {{"workflow_id", token_}, {"step_id", "do"}, {"output", output}}}));
    EXPECT_FALSE(answer.is_error()) << answer.text;
    Told told;
    told.has_passed =
        is_rail() ? answer.field("kind") == "ok" : *answer.structured.find("success")->if_bool();
    if (is_rail()) token_ = answer.field("ackToken");
    const Value* blockers = answer.structured.find("blockers");
    if (blockers == nullptr) return told;
    for (const Value& each : *blockers->if_array()) {
      const Value& pointer = *each.find("pointer");
      told.blockers +=
          cat(*each.find("code")->if_string(), ' ', *pointer.find("kind")->if_string(), ' ',
              *pointer.find("value")->if_string(), ": ", *each.find("message")->if_string(), '\n');
    }
    return told;
  }

  /// A claim that must not pass, because of one piece of evidence and what was found there.
  void expect_blocked(std::string_view pointer, std::string_view found,
                      const Array& artifacts = {}) {
    const Told told = claim(artifacts);
    EXPECT_FALSE(told.has_passed);
    EXPECT_TRUE(told.blockers.contains(cat("EVIDENCE_MISSING evidence ", pointer, ": ")))
        << told.blockers;
    EXPECT_TRUE(told.blockers.contains(found)) << told.blockers;
  }
  void expect_passed(const Array& artifacts = {}) {
    const Told told = claim(artifacts);
    EXPECT_TRUE(told.has_passed) << told.blockers;
  }

  crash::Scratch scratch_;
  std::unique_ptr<crash::Server> server_;
  std::string token_;  // or the run
};

INSTANTIATE_TEST_SUITE_P(, Cheats, ::testing::Values("rail", "atomic"),
                         [](const auto& tested) { return std::string(tested.param); });

// Enforces: G15
TEST_P(Cheats, honest_work_passes) {
  begin(R"({file_exists: out.txt}, {file_contains: {path: out.txt, pattern: done}},
           {file_changed: old.txt}, {git_commit_exists: true}, {command: {argv: [./check.sh]}},
           {artifact: {type: report, min_bytes: 20, schema: {required: [text]}}})");
  write(work() / "out.txt", "done\n");
  write(work() / "old.txt", "new work\n");
  git({"add", "."});
  git({"commit", "-q", "-m", "second"});
  expect_passed({Object{{"kind", "report"}, {"text", "what was done"}}});
}

// Enforces: G15
TEST_P(Cheats, by_words_alone) {
  begin("{file_exists: out.txt}");
  expect_blocked("file_exists out.txt", "nothing with that name exists");
}

// Enforces: G15
TEST_P(Cheats, by_an_empty_file) {
  begin("{file_exists: out.txt}");
  write(work() / "out.txt", "");
  expect_blocked("file_exists out.txt", "an empty file");
}

// Enforces: G15
TEST_P(Cheats, by_a_folder_of_that_name) {
  begin("{file_exists: out.txt}");
  fs::create_directory(work() / "out.txt");
  expect_blocked("file_exists out.txt", "a folder");
}

// Enforces: G15
TEST_P(Cheats, by_the_old_file) {
  begin("{file_changed: old.txt}");
  expect_blocked("file_changed old.txt", "unchanged");
}

// Enforces: G15
TEST_P(Cheats, by_a_new_date_on_the_old_file) {
  begin("{file_changed: old.txt}");
  write(work() / "old.txt", "old work\n");
  fs::last_write_time(work() / "old.txt", fs::file_time_type::clock::now());
  expect_blocked("file_changed old.txt", "unchanged");
}

// Enforces: G15
TEST_P(Cheats, by_a_change_from_before_the_step) {
  write(work() / "old.txt", "changed too early\n");
  begin("{file_changed: old.txt}");
  expect_blocked("file_changed old.txt", "unchanged");
}

// Enforces: G15
TEST_P(Cheats, by_a_link_out_of_the_workspace) {
  begin("{file_exists: out.txt}, {file_exists: dir/outside.txt}");
  fs::create_symlink(scratch_.path() / "outside.txt", work() / "out.txt");
  fs::create_symlink(scratch_.path(), work() / "dir");
  expect_blocked("file_exists out.txt", "a symbolic link");
  expect_blocked("file_exists dir/outside.txt", "a symbolic link");
}

// Enforces: G15
TEST_P(Cheats, by_a_path_out_of_the_workspace) {
  begin(R"({file_exists: "{{ inputs.commit }}"})", {{"commit", "../outside.txt"}});
  expect_blocked("file_exists ../outside.txt", "not a file of the workspace");
}

// Enforces: G15
TEST_P(Cheats, by_a_commit_that_does_not_exist) {
  const std::string invented = "0123456789abcdef0123456789abcdef01234567";
  begin(R"({git_commit_exists: "{{ inputs.commit }}"})", {{"commit", invented}});
  expect_blocked(cat("git_commit_exists ", invented), "no such commit");
}

// Enforces: G15
TEST_P(Cheats, by_a_name_that_matches_any_commit) {
  begin(R"({git_commit_exists: "{{ inputs.commit }}"})", {{"commit", "HEAD"}});
  expect_blocked("git_commit_exists HEAD", "expected a commit by its digest");
}

// Enforces: G15
TEST_P(Cheats, by_the_commit_that_was_there) {
  begin("{git_commit_exists: true}");
  expect_blocked("git_commit_exists", "adds nothing to what existed before");
}

// Enforces: G15
TEST_P(Cheats, by_going_back_to_an_older_commit) {
  git({"commit", "-q", "--allow-empty", "-m", "second"});
  begin("{git_commit_exists: true}");
  git({"checkout", "-q", "HEAD~1"});
  expect_blocked("git_commit_exists", "adds nothing to what existed before");
}

// Enforces: G15
TEST_P(Cheats, by_a_branch_that_was_made_before) {
  git({"checkout", "-q", "-b", "made"});
  git({"commit", "-q", "--allow-empty", "-m", "second"});
  git({"checkout", "-q", "main"});
  begin("{git_commit_exists: true}");
  git({"merge", "-q", "--ff-only", "made"});
  expect_blocked("git_commit_exists", "adds nothing to what existed before");
}

// Enforces: G15
TEST_P(Cheats, by_replacing_the_command_with_one_that_always_succeeds) {
  begin("{command: {argv: [./check.sh]}}");
  expect_blocked("command ./check.sh", "it ended with");
  write(work() / "check.sh", "#!/bin/sh\nexit 0\n");
  expect_blocked("command ./check.sh", "was changed in this step");
}

// Enforces: G15
TEST_P(Cheats, by_replacing_the_script_of_an_interpreter) {
  begin("{command: {argv: [sh, check.sh]}}");
  write(work() / "check.sh", "exit 0\n");
  expect_blocked("command sh check.sh", "was changed in this step");
}

// Enforces: G15
TEST_P(Cheats, by_replacing_a_script_that_stands_behind_options) {
  begin("{command: {argv: [/usr/bin/env, A=1, sh, -e, -o, noglob, check.sh]}}");
  write(work() / "check.sh", "exit 0\n");
  expect_blocked("command /usr/bin/env A=1 sh -e -o noglob check.sh", "was changed in this step");
}

// Enforces: G15
TEST_P(Cheats, by_a_program_of_the_same_name_in_the_workspace) {
  begin("{command: {argv: [grep, -q, done, old.txt]}}");
  write(work() / "grep", "#!/bin/sh\nexit 0\n");
  ::chmod((work() / "grep").c_str(), 0700);
  expect_blocked("command grep -q done old.txt", "it ended with 1");
}

// Enforces: G15
TEST_P(Cheats, by_an_untrusted_workflow) {
  begin("{command: {argv: [\"true\"]}}", {}, false);
  expect_blocked("command true", "the workflow is not trusted");
}

// Enforces: G15
TEST_P(Cheats, by_an_artifact_with_nothing_in_it) {
  begin("{artifact: {type: report, min_bytes: 60, schema: {required: [text]}}}");
  expect_blocked("artifact report", "found: one of ", {Object{{"kind", "report"}}});
  expect_blocked("artifact report", "does not match",
                 {Object{{"kind", "report"}, {"title", std::string(90, 'x')}}});
}

// Enforces: G15
TEST_P(Cheats, by_trying_until_the_server_restarts) {
  begin("{file_changed: old.txt}");
  expect_blocked("file_changed old.txt", "unchanged");
  serve(true);
  expect_blocked("file_changed old.txt", "unchanged");
  write(work() / "old.txt", "new work\n");
  expect_passed();
}

// --- commits that were there before --------------------------------------------------------------

constexpr std::string_view new_commit = "{git_commit_exists: true}";

// Enforces: G15
TEST_P(Cheats, by_one_of_many_branches_that_were_there_before) {
  for (int i = 0; i < 40; ++i) {
    git({"checkout", "-q", "-b", cat("b", i), "main"});
    commit(cat("b", i));
  }
  git({"checkout", "-q", "main"});
  begin(new_commit);
  for (const int i : {0, 17, 39}) {
    git({"checkout", "-q", cat("b", i)});
    expect_blocked("git_commit_exists", "adds nothing to what existed before");
  }
  commit("work");
  expect_passed();
}

// Enforces: G15
TEST_P(Cheats, by_a_commit_that_only_the_reflog_knew) {
  const std::string old = commit("old");
  git({"reset", "-q", "--hard", "HEAD~1"});
  begin(new_commit);
  git({"reset", "-q", "--hard", old});
  expect_blocked("git_commit_exists", "adds nothing to what existed before");
}

// Enforces: G15
TEST_P(Cheats, by_a_stash) {
  for (const std::string_view text : {"first", "second"}) {
    write(work() / "old.txt", text);
    git({"stash", "-q"});
  }
  begin(new_commit);
  for (const std::string name : {"stash@{0}", "stash@{1}"}) {
    git({"checkout", "-q", "--detach", name});
    expect_blocked("git_commit_exists", "adds nothing to what existed before");
  }
}

// Enforces: G15
TEST_P(Cheats, by_a_commit_that_nothing_named) {
  const std::string tree = git({"rev-parse", "HEAD^{tree}"});
  const std::string loose = git({"commit-tree", tree, "-m", "kept for later"});
  const std::string packed = git({"commit-tree", tree, "-m", "packed for later"});
  git({"repack", "-q", "-a", "-d", "-k"});
  begin(new_commit);
  for (const std::string& each : {loose, packed}) {
    git({"reset", "-q", "--hard", each});
    expect_blocked("git_commit_exists", "adds nothing to what existed before");
  }
}

// Enforces: G15
TEST_P(Cheats, by_a_digest_that_head_does_not_lead_to) {
  const std::string dangling = commit("dangling");
  git({"reset", "-q", "--hard", "HEAD~1"});
  begin(R"({git_commit_exists: "{{ inputs.commit }}"})", {{"commit", dangling}});
  expect_blocked(cat("git_commit_exists ", dangling), "not reachable from HEAD");
  git({"reset", "-q", "--hard", dangling});
  expect_passed();
}

// Enforces: G15
TEST_P(Cheats, by_having_no_commit_checked_out_when_the_step_began) {
  git({"checkout", "-q", "--orphan", "nothing-yet"});
  begin(new_commit);
  expect_blocked("git_commit_exists", "no such commit");
  git({"checkout", "-q", "-f", "main"});
  expect_blocked("git_commit_exists", "adds nothing to what existed before");
}

// Enforces: G15
TEST_P(Cheats, by_a_repository_that_could_not_be_read_when_the_step_began) {
  const fs::path config = work() / ".git/config";
  fs::copy_file(config, scratch_.path() / "config");
  write(config, "[broken\n");
  begin(new_commit);
  fs::copy_file(scratch_.path() / "config", config, fs::copy_options::overwrite_existing);
  expect_blocked("git_commit_exists", "could not be read when the step began");
}

// Enforces: G15
TEST_P(Cheats, by_cutting_the_history_below_a_known_commit) {
  const std::string first = git({"rev-parse", "HEAD"});
  const std::string second = commit("second");
  begin(new_commit);
  git({"checkout", "-q", "--detach", first});
  const auto looks_new = [&] { return git({"rev-list", first, "--not", second}) == first; };
  git({"replace", "--graft", second});
  ASSERT_TRUE(looks_new());
  expect_blocked("git_commit_exists", "adds nothing to what existed before");
  git({"replace", "-d", second});
  write(work() / ".git/info/grafts", cat(second, "\n"));
  ASSERT_TRUE(looks_new());
  expect_blocked("git_commit_exists", "adds nothing to what existed before");
  fs::remove(work() / ".git/info/grafts");
  write(work() / ".git/shallow", cat(second, "\n"));
  ASSERT_TRUE(looks_new());
  expect_blocked("git_commit_exists", "the file .git/shallow");
}

// Enforces: G15
TEST_P(Cheats, by_removing_the_commit_that_led_to_an_old_one) {
  git({"checkout", "-q", "-b", "side"});
  const std::string below = commit("below");
  const std::string above = commit("above");
  git({"checkout", "-q", "main"});
  begin(new_commit);
  git({"checkout", "-q", "--detach", below});
  git({"update-ref", "-d", "refs/heads/side"});
  fs::remove(work() / ".git/objects" / above.substr(0, 2) / above.substr(2));
  expect_blocked("git_commit_exists", "are missing");
}

// --- commits without work ------------------------------------------------------------------------

// Enforces: G15
TEST_P(Cheats, by_an_empty_commit) {
  begin(new_commit);
  git({"commit", "-q", "--allow-empty", "-m", "done"});
  expect_blocked("git_commit_exists", "which brings no change of its own");
  git({"commit", "-q", "--allow-empty", "-m", "really done"});
  expect_blocked("git_commit_exists", "none of 2 new commits changes a file");
}

// Enforces: G15
TEST_P(Cheats, by_amending_an_existing_commit) {
  const std::string second = commit("second");
  git({"checkout", "-q", "-b", "side"});
  commit("third");
  git({"checkout", "-q", "main"});
  begin(new_commit);
  git({"commit", "-q", "--amend", "-m", "the work of this step"});
  expect_blocked("git_commit_exists", cat("leaves every file as ", second, " did"));
  // One in the middle of another branch, and the one on top of it again.
  git({"checkout", "-q", "side"});
  git({"rebase", "-q", "--root", "--exec", "git commit -q --amend -m anew"});
  expect_blocked("git_commit_exists", "leaves every file as ");
  write(work() / "second.txt", "and more");
  git({"commit", "-q", "-a", "--amend", "-m", "with more"});
  expect_passed();
}

// Enforces: G15
TEST_P(Cheats, by_one_commit_for_all_that_older_ones_did) {
  git({"checkout", "-q", "-b", "side"});
  commit("below");
  const std::string side = commit("above");
  git({"checkout", "-q", "main"});
  const std::string old = commit("second");
  begin(new_commit);
  // The whole history again, as one commit without a parent.
  git({"checkout", "-q", "--orphan", "fresh"});
  git({"commit", "-q", "-m", "all the work of this step"});
  expect_blocked("git_commit_exists", cat("leaves every file as ", old, " did"));
  // A branch that was there, squashed.
  git({"checkout", "-q", "-f", "--detach", cat(side, "~2")});
  git({"merge", "-q", "--squash", "side"});
  git({"commit", "-q", "-m", "all the work of this step"});
  expect_blocked("git_commit_exists", cat("leaves every file as ", side, " did"));
  commit("work");
  expect_passed();
}

// Enforces: G15
TEST_P(Cheats, by_a_merge_that_only_takes_over_an_old_branch) {
  git({"checkout", "-q", "-b", "side"});
  commit("side");
  git({"checkout", "-q", "main"});
  begin(new_commit);
  git({"merge", "-q", "--no-ff", "-m", "merged", "side"});
  expect_blocked("git_commit_exists", "which brings no change of its own");
}

// Enforces: G15
TEST_P(Cheats, honest_commits_pass_however_they_are_made) {
  git({"checkout", "-q", "-b", "side"});
  commit("side");
  git({"checkout", "-q", "main"});
  const std::string start = commit("second");
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{"revert", "--no-edit", "HEAD"}, Words{"merge", "-q", "-m", "merged", "side"},
        Words{"cherry-pick", "side"}, Words{"commit", "-q", "--amend", "-a", "-m", "with more"}}) {
    git({"reset", "-q", "--hard", start});
    begin(new_commit);
    write(work() / "new.txt", words.front());
    if (words.front() == "commit") git({"add", "."});
    git(words);
    expect_passed();
  }
}

// --- other repositories and folders --------------------------------------------------------------

// Enforces: G15
TEST_P(Cheats, by_objects_that_are_borrowed_from_another_repository) {
  const std::string elsewhere = commit_elsewhere();
  begin(cat(new_commit, R"(, {git_commit_exists: "{{ inputs.commit }}"})"),
        {{"commit", elsewhere}});
  write(work() / ".git/objects/info/alternates", cat((other() / ".git/objects").string(), '\n'));
  git({"reset", "-q", "--hard", elsewhere});
  expect_blocked("git_commit_exists", "borrows objects from another one");
  expect_blocked(cat("git_commit_exists ", elsewhere), "borrows objects from another one");
  // By another one that borrows in turn.
  const fs::path between = scratch_.path() / "between";
  git_in(scratch_.path(), {"init", "-q", "between"});
  write(between / ".git/objects/info/alternates", cat((other() / ".git/objects").string(), '\n'));
  write(work() / ".git/objects/info/alternates", cat((between / ".git/objects").string(), '\n'));
  expect_blocked("git_commit_exists", "borrows objects from another one");
}

// Enforces: G15
TEST_P(Cheats, by_a_new_repository_that_borrows_the_old_objects) {
  const std::string elsewhere = commit_elsewhere();
  fs::remove_all(work() / ".git");
  begin(new_commit);
  git({"init", "-q", "-b", "main"});
  write(work() / ".git/objects/info/alternates", cat((other() / ".git/objects").string(), '\n'));
  git({"reset", "-q", "--hard", elsewhere});
  expect_blocked("git_commit_exists", "borrows objects from another one");
}

// Enforces: G15
TEST_P(Cheats, a_repository_that_always_borrowed_proves_what_is_new_in_it) {
  const std::string elsewhere = commit_elsewhere();
  write(work() / ".git/objects/info/alternates", cat((other() / ".git/objects").string(), '\n'));
  begin(new_commit);
  git({"reset", "-q", "--hard", elsewhere});
  expect_blocked("git_commit_exists", "adds nothing to what existed before");
  commit("work");
  expect_passed();
}

// Enforces: G15
TEST_P(Cheats, by_another_repository_in_the_place_of_the_first) {
  commit_elsewhere();
  begin(new_commit);
  fs::rename(work() / ".git", scratch_.path() / "put-away");
  fs::rename(other() / ".git", work() / ".git");
  expect_blocked("git_commit_exists", "not the same repository");
  fs::rename(work() / ".git", other() / ".git");
  fs::rename(scratch_.path() / "put-away", work() / ".git");
  fs::rename(work() / ".git/objects", scratch_.path() / "objects");
  fs::create_symlink(other() / ".git/objects", work() / ".git/objects");
  expect_blocked("git_commit_exists", "not the same repository");
}

// Enforces: G15
TEST_P(Cheats, by_turning_the_workspace_elsewhere) {
  commit_elsewhere();
  write(other() / "out.txt", "done\n");
  write(other() / "old.txt", "done elsewhere\n");
  const fs::path link = scratch_.path() / "link";
  fs::create_directory_symlink(work(), link);
  begin(R"({git_commit_exists: true}, {file_exists: out.txt}, {file_changed: old.txt},
           {file_contains: {path: out.txt, pattern: done}}, {command: {argv: [./check.sh]}})",
        {}, true, link);
  fs::remove(link);
  fs::create_directory_symlink(other(), link);
  const Told told = claim();
  EXPECT_FALSE(told.has_passed);
  for (const std::string_view pointer :
       {"git_commit_exists", "file_exists out.txt", "file_changed old.txt", "file_contains out.txt",
        "command ./check.sh"}) {
    EXPECT_TRUE(told.blockers.contains(
        cat("EVIDENCE_MISSING evidence ", pointer,
            ": expected the workspace to be the same folder as when the step began; found: its "
            "path is now another folder")))
        << told.blockers;
  }
  fs::remove(link);
  fs::create_directory_symlink(work(), link);
  write(work() / "out.txt", "done\n");
  write(work() / "old.txt", "done here\n");
  commit("work");
  expect_passed();
}

// Enforces: G15
TEST_P(Cheats, by_another_folder_in_the_place_of_the_workspace) {
  commit_elsewhere();
  write(other() / "out.txt", "done\n");
  begin("{file_exists: out.txt}");
  fs::rename(work(), scratch_.path() / "put-away");
  fs::rename(other(), work());
  expect_blocked("file_exists out.txt", "its path is now another folder");
  fs::remove_all(work());
  expect_blocked("file_exists out.txt", "its path is not a folder");
  fs::create_directory(work());
  write(work() / "out.txt", "done\n");
  expect_blocked("file_exists out.txt", "its path is now another folder");
}

// --- files that are too long to be compared ------------------------------------------------------

// Enforces: G9, G15
TEST_P(Cheats, a_long_file_is_compared_as_far_as_the_limit_and_told_truly_past_it) {
  const auto set_byte = [&](std::int64_t at, char byte) {
    std::fstream file(work() / "long.bin", std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(at);
    file.put(byte);
  };
  write(work() / "long.bin", "");
  for (const std::uintmax_t bytes :
       {std::uintmax_t{17} << 20, std::uintmax_t{limits::evidence_hashed_bytes_max},
        std::uintmax_t{limits::evidence_hashed_bytes_max} + 1}) {
    fs::resize_file(work() / "long.bin", bytes);
    begin("{file_changed: long.bin}");
    const bool is_compared = bytes <= limits::evidence_hashed_bytes_max;
    expect_blocked("file_changed long.bin", is_compared ? "unchanged" : "too long to compare");
    set_byte(static_cast<std::int64_t>(bytes) - 1, is_compared ? 'a' : 'b');
    if (is_compared) {
      expect_passed();
    } else {
      expect_blocked("file_changed long.bin", "too long to compare");
      fs::resize_file(work() / "long.bin", bytes + 1);
      expect_passed();
    }
  }
}

}  // namespace
}  // namespace baton
