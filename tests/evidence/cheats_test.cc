// Ways to have a step closed without its work, each tried on the real server in a real repository,
// on both surfaces that run steps. None of them passes; the work itself does.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "adapters/vcs/command.h"
#include "base/text.h"
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

/// What came of an attempt.
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
  bool is_rail() const { return GetParam() == "rail"; }

  std::string git(std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-c", "user.name=A", "-c", "user.email=a@example.org"});
    const auto done =
        adapters::run_command({.words = std::move(words),
                               .directory = work().string(),
                               .environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                               {"HOME", scratch_.path().string()}}});
    EXPECT_TRUE(done && done->exit == 0) << (done ? done->errors : done.error().message);
    return done ? done->output.substr(0, done->output.find('\n')) : std::string();
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
  void begin(std::string_view evidence, Object inputs = {}, bool may_run = true) {
    std::string text(flow);
    text.replace(text.find('%'), 1, evidence);
    write(scratch_.path() / "flows/site.yaml", text);
    serve(may_run);
    const std::string folder = work().string();
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
  expect_blocked("file_exists out.txt", "there is nothing of that name");
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
  expect_blocked("file_changed old.txt", "byte for byte as it was");
}

// Enforces: G15
TEST_P(Cheats, by_a_new_date_on_the_old_file) {
  begin("{file_changed: old.txt}");
  write(work() / "old.txt", "old work\n");
  fs::last_write_time(work() / "old.txt", fs::file_time_type::clock::now());
  expect_blocked("file_changed old.txt", "byte for byte as it was");
}

// Enforces: G15
TEST_P(Cheats, by_a_change_from_before_the_step) {
  write(work() / "old.txt", "changed too early\n");
  begin("{file_changed: old.txt}");
  expect_blocked("file_changed old.txt", "byte for byte as it was");
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
  expect_blocked("file_exists ../outside.txt", "no file of the workspace");
}

// Enforces: G15
TEST_P(Cheats, by_a_commit_that_nobody_made) {
  const std::string invented = "0123456789abcdef0123456789abcdef01234567";
  begin(R"({git_commit_exists: "{{ inputs.commit }}"})", {{"commit", invented}});
  expect_blocked(cat("git_commit_exists ", invented), "no such commit");
}

// Enforces: G15
TEST_P(Cheats, by_a_name_for_whatever_is_there) {
  begin(R"({git_commit_exists: "{{ inputs.commit }}"})", {{"commit", "HEAD"}});
  expect_blocked("git_commit_exists HEAD", "expected a commit by its digest");
}

// Enforces: G15
TEST_P(Cheats, by_the_commit_that_was_there) {
  begin("{git_commit_exists: true}");
  expect_blocked("git_commit_exists", "adds nothing to what was there before");
}

// Enforces: G15
TEST_P(Cheats, by_going_back_to_an_older_commit) {
  git({"commit", "-q", "--allow-empty", "-m", "second"});
  begin("{git_commit_exists: true}");
  git({"checkout", "-q", "HEAD~1"});
  expect_blocked("git_commit_exists", "adds nothing to what was there before");
}

// Enforces: G15
TEST_P(Cheats, by_a_branch_that_was_made_before) {
  git({"checkout", "-q", "-b", "made"});
  git({"commit", "-q", "--allow-empty", "-m", "second"});
  git({"checkout", "-q", "main"});
  begin("{git_commit_exists: true}");
  git({"merge", "-q", "--ff-only", "made"});
  expect_blocked("git_commit_exists", "adds nothing to what was there before");
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
TEST_P(Cheats, by_a_program_of_the_same_name_in_the_workspace) {
  begin("{command: {argv: [grep, -q, done, old.txt]}}");
  write(work() / "grep", "#!/bin/sh\nexit 0\n");
  ::chmod((work() / "grep").c_str(), 0700);
  expect_blocked("command grep -q done old.txt", "it ended with 1");
}

// Enforces: G15
TEST_P(Cheats, by_a_workflow_that_nobody_trusts) {
  begin("{command: {argv: [\"true\"]}}", {}, false);
  expect_blocked("command true", "the workflow is not trusted");
}

// Enforces: G15
TEST_P(Cheats, by_an_artifact_with_nothing_in_it) {
  begin("{artifact: {type: report, min_bytes: 60, schema: {required: [text]}}}");
  expect_blocked("artifact report", "found: one of ", {Object{{"kind", "report"}}});
  expect_blocked("artifact report", "does not fit",
                 {Object{{"kind", "report"}, {"title", std::string(90, 'x')}}});
}

// Enforces: G15
TEST_P(Cheats, by_trying_until_the_server_was_started_anew) {
  begin("{file_changed: old.txt}");
  expect_blocked("file_changed old.txt", "byte for byte as it was");
  serve(true);
  expect_blocked("file_changed old.txt", "byte for byte as it was");
  write(work() / "old.txt", "new work\n");
  expect_passed();
}

}  // namespace
}  // namespace baton
