// The suite of the EvidenceReader port, run against a real workspace and against the scripted one;
// then ways to claim work that was not done, in a real workspace, none of which passes.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "adapters/evidence/testing/scripted_evidence.h"
#include "adapters/evidence/workspace_evidence.h"
#include "adapters/vcs/command.h"
#include "base/text/text.h"
#include "run/log/event.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

namespace fs = std::filesystem;
using adapters::WorkspaceEvidence;
using ports::Commands;
using run::Probe;
using run::ProbeResult;

void write(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

ports::Environment environment(const TempDir& folder) {
  return {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
          {"HOME", folder.path("home")},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_CEILING_DIRECTORIES", folder.path("")}};
}

struct Kind {
  std::string_view name;
  std::unique_ptr<ports::EvidenceReader> (*open)(const TempDir&);
};

/// A workspace with one file.
std::unique_ptr<ports::EvidenceReader> real(const TempDir& folder) {
  fs::create_directories(folder.path("work"));
  write(folder.path("work/a.txt"), "hello");
  return std::make_unique<WorkspaceEvidence>(environment(folder));
}

std::unique_ptr<ports::EvidenceReader> scripted(const TempDir&) {
  auto out = std::make_unique<adapters::ScriptedEvidence>();
  ProbeResult file;
  file.kind = ProbeResult::Kind::file;
  file.bytes = 5;
  file.digest = sha256("hello");
  file.text = "hello";
  out->write(Probe::Kind::file, "a.txt", file);
  ProbeResult ended;
  ended.kind = ProbeResult::Kind::ended;
  ended.exit = 1;
  out->write(Probe::Kind::command, "false", ended);
  return out;
}

class Evidence : public ::testing::TestWithParam<Kind> {
 protected:
  ProbeResult look(Probe look, Commands commands = Commands::allowed) {
    const auto seen = reader_->look(folder_.path("work"), {&look, 1}, commands);
    EXPECT_EQ(seen.size(), 1u);
    return seen.at(0);
  }

  TempDir folder_;
  std::unique_ptr<ports::EvidenceReader> reader_ = GetParam().open(folder_);
};

TEST_P(Evidence, results_come_in_the_order_of_the_probes) {
  const Probe looks[] = {{Probe::Kind::file, "a.txt", {}, false},
                         {Probe::Kind::command, "", {"false"}, false},
                         {Probe::Kind::file, "missing", {}, false}};
  const auto seen = reader_->look(folder_.path("work"), looks, Commands::allowed);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].kind, ProbeResult::Kind::file);
  EXPECT_EQ(seen[1].kind, ProbeResult::Kind::ended);
  EXPECT_EQ(seen[1].exit, 1);
  EXPECT_EQ(seen[2].kind, ProbeResult::Kind::nothing);
}

TEST_P(Evidence, a_file_has_its_size_digest_and_when_asked_its_text) {
  ProbeResult seen = look({Probe::Kind::file, "a.txt", {}, true});
  EXPECT_EQ(seen.bytes, 5);
  EXPECT_EQ(seen.digest, sha256("hello"));
  EXPECT_EQ(seen.text, "hello");
  EXPECT_EQ(look({Probe::Kind::file, "a.txt", {}, false}).text, std::nullopt);
}

TEST_P(Evidence, a_command_is_not_run_unless_it_may_be) {
  EXPECT_EQ(look({Probe::Kind::command, "", {"false"}, false}, Commands::refused).kind,
            ProbeResult::Kind::untrusted);
}

TEST_P(Evidence, a_command_is_judged_by_its_words_and_the_reason_is_told) {
  std::vector<std::string> asked;
  const auto judge = [&](const std::vector<std::string>& argv) {
    asked = argv;
    return ports::TrustVerdict{asked.size() == 1, "x.sh has changed"};
  };
  EXPECT_EQ(look({Probe::Kind::command, "", {"false"}, false}, Commands(judge)).kind,
            ProbeResult::Kind::ended);
  EXPECT_EQ(asked, std::vector<std::string>{"false"});
  const ProbeResult refused =
      look({Probe::Kind::command, "", {"false", "x.sh"}, false}, Commands(judge));
  EXPECT_EQ(refused.kind, ProbeResult::Kind::untrusted);
  EXPECT_EQ(refused.said, "x.sh has changed");
}

TEST_P(Evidence, a_folder_without_a_repository_has_no_commit) {
  EXPECT_EQ(look({Probe::Kind::commit, "", {}, false}).kind, ProbeResult::Kind::nothing);
  EXPECT_EQ(look({Probe::Kind::repository, "", {}, false}).kind, ProbeResult::Kind::nothing);
}

TEST_P(Evidence, the_workspace_is_the_same_every_time) {
  const Probe itself{Probe::Kind::workspace, "", {}, false};
  EXPECT_EQ(look(itself), look(itself));
}

INSTANTIATE_TEST_SUITE_P(, Evidence,
                         ::testing::Values(Kind{"real", real}, Kind{"scripted", scripted}),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// A step with this evidence, played in a real workspace: what is there before, and after.
class cheating : public ::testing::Test {
 protected:
  cheating() { fs::create_directories(work()); }

  std::string work() const { return folder_.path("work"); }
  std::string path(std::string_view name) const { return cat(work(), '/', name); }

  void git(std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-c", "user.name=A", "-c", "user.email=a@example.org"});
    const auto done = adapters::run_command(
        {.words = std::move(words), .directory = work(), .environment = environment(folder_)});
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(done->exit, 0) << done->errors;
  }
  /// A commit with a file of its own.
  void commit(std::string_view name) {
    write(path(name), name);
    git({"add", "."});
    git({"commit", "-q", "-m", std::string(name)});
  }
  std::string head() {
    WorkspaceEvidence reader(environment(folder_));
    const Probe look{Probe::Kind::commit, "", {}, false};
    return reader.look(work(), {&look, 1}, Commands::allowed).at(0).commit;
  }

  void begin(std::string_view evidence) {
    requirements_ = *run::read_evidence(*json::parse(evidence));
    const auto looks = run::baseline_probes(requirements_);
    const run::StepEvidence begun{
        "step", *json::parse(evidence),
        run::baseline_of(looks, reader_.look(work(), looks, Commands::allowed))};
    baseline_ = run::from_json<run::StepEvidence>(run::to_json(begun))->baseline;
  }

  /// What prevents closing the step; empty when nothing does.
  std::string close(const json::Array& artifacts = {}, Commands commands = Commands::allowed) {
    const auto seen = reader_.look(work(), run::closing_probes(requirements_, baseline_), commands);
    const auto check = run::check_evidence(requirements_, baseline_,
                                           {.seen = seen,
                                            .artifacts = artifacts,
                                            .holds = [](const json::Value&) { return false; },
                                            .workflow = "flow"});
    EXPECT_EQ(check.entries.size(), requirements_.size());
    std::string out;
    for (const run::Finding& each : check.findings) {
      EXPECT_EQ(run::code_of(each.reason), run::BlockerCode::EVIDENCE_MISSING);
      EXPECT_EQ(each.pointer.kind, run::PointerKind::evidence);
      EXPECT_FALSE(each.fix.empty());
      out += cat(each.pointer.value, ": ", each.message, '\n');
    }
    return out;
  }

  TempDir folder_;
  WorkspaceEvidence reader_{environment(folder_)};
  std::vector<run::Requirement> requirements_;
  run::Baseline baseline_;
};

TEST_F(cheating, work_that_was_done_passes) {
  git({"init", "-q", "-b", "main"});
  git({"commit", "-q", "--allow-empty", "-m", "first"});
  write(path("old.txt"), "old");
  begin(R"([{"file_exists": "new.txt"}, {"file_changed": "old.txt"}, {"git_commit_exists": true},
            {"file_contains": {"path": "new.txt", "pattern": "^done$"}},
            {"command": {"argv": ["test", "-f", "new.txt"]}},
            {"artifact": {"type": "report", "min_bytes": 20, "schema": {"required": ["text"]}}}])");
  write(path("new.txt"), "done");
  write(path("old.txt"), "changed");
  git({"add", "."});
  git({"commit", "-q", "-m", "second"});
  EXPECT_EQ(close({json::Object{{"kind", "report"}, {"text", "all is well"}}}), "");
}

TEST_F(cheating, nothing_was_done) {
  begin(R"([{"file_exists": "out.txt"}])");
  EXPECT_EQ(close(),
            "file_exists out.txt: expected a file out.txt that is not empty; found: nothing with "
            "that name exists\n");
}

TEST_F(cheating, by_an_empty_file) {
  begin(R"([{"file_exists": "out.txt"}])");
  write(path("out.txt"), "");
  EXPECT_TRUE(close().contains("found: an empty file"));
}

TEST_F(cheating, by_a_file_that_was_there_before) {
  write(path("out.txt"), "old work");
  begin(R"([{"file_changed": "out.txt"}])");
  EXPECT_TRUE(close().contains("unchanged"));
}

// Enforces: G15
TEST_F(cheating, by_a_new_date_on_an_old_file) {
  write(path("out.txt"), "old work");
  begin(R"([{"file_changed": "out.txt"}])");
  write(path("out.txt"), "old work");
  fs::last_write_time(path("out.txt"), fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_TRUE(close().contains("unchanged"));
}

TEST_F(cheating, by_a_change_that_was_made_before_the_step) {
  write(path("out.txt"), "first");
  write(path("out.txt"), "second");
  begin(R"([{"file_changed": "out.txt"}])");
  EXPECT_TRUE(close().contains("unchanged"));
}

TEST_F(cheating, by_removing_the_file_that_should_change) {
  write(path("out.txt"), "old work");
  begin(R"([{"file_changed": "out.txt"}])");
  fs::remove(path("out.txt"));
  EXPECT_TRUE(close().contains("nothing with that name"));
}

TEST_F(cheating, by_a_link_to_another_file) {
  begin(R"([{"file_exists": "out.txt"}, {"file_exists": "sub/hosts"}])");
  fs::create_symlink("/etc/hosts", path("out.txt"));
  fs::create_symlink("/etc", path("sub"));
  const std::string found = close();
  EXPECT_TRUE(found.contains("file_exists out.txt: ") && found.contains("sub/hosts: "));
  EXPECT_TRUE(found.contains("found: a symbolic link"));
}

TEST_F(cheating, by_a_path_out_of_the_workspace) {
  write(folder_.path("outside.txt"), "not of this work");
  begin(R"([{"file_exists": "../outside.txt"}, {"file_exists": "/etc/hosts"}])");
  const std::string found = close();
  EXPECT_TRUE(found.contains("../outside.txt: ") && found.contains("/etc/hosts: ")) << found;
}

TEST_F(cheating, by_a_folder_in_the_place_of_the_file) {
  begin(R"([{"file_exists": "out.txt"}])");
  fs::create_directory(path("out.txt"));
  EXPECT_TRUE(close().contains("found: a folder"));
}

TEST_F(cheating, by_a_pipe_in_the_place_of_the_file) {
  begin(R"([{"file_exists": "out.txt"}])");
  ASSERT_EQ(::mkfifo(path("out.txt").c_str(), 0600), 0);
  EXPECT_TRUE(close().contains("not a file of the workspace"));
}

TEST_F(cheating, by_a_file_without_what_it_should_say) {
  begin(R"([{"file_contains": {"path": "out.txt", "pattern": "(?m)^[0-9]+ passed$"}}])");
  write(path("out.txt"), "# 12 passed, they say\n0 of 3 passed\n");
  EXPECT_TRUE(close().contains("nothing in it matches"));
  write(path("out.txt"), "12 passed\n");
  EXPECT_EQ(close(), "");
}

// Enforces: G15
TEST_F(cheating, by_an_invented_commit) {
  git({"init", "-q", "-b", "main"});
  git({"commit", "-q", "--allow-empty", "-m", "first"});
  begin(R"([{"git_commit_exists": "0123456789abcdef0123456789abcdef01234567"}])");
  EXPECT_TRUE(close().contains("found: no such commit"));
  begin(cat(R"([{"git_commit_exists": ")", head(), "\"}]"));
  EXPECT_EQ(close(), "");
}

TEST_F(cheating, by_a_name_that_always_means_a_commit) {
  git({"init", "-q", "-b", "main"});
  git({"commit", "-q", "--allow-empty", "-m", "first"});
  for (const std::string_view name : {"HEAD", "main", "", "@", "abc", "--all"}) {
    begin(json::print(json::Array{json::Object{{"git_commit_exists", name}}}));
    EXPECT_TRUE(close().contains("a commit by its digest")) << name;
  }
}

TEST_F(cheating, by_the_commit_that_was_there_before) {
  git({"init", "-q", "-b", "main"});
  git({"commit", "-q", "--allow-empty", "-m", "first"});
  begin(R"([{"git_commit_exists": true}])");
  EXPECT_TRUE(close().contains("adds nothing to what existed before"));
}

TEST_F(cheating, by_going_back_to_an_older_commit) {
  git({"init", "-q", "-b", "main"});
  git({"commit", "-q", "--allow-empty", "-m", "first"});
  git({"commit", "-q", "--allow-empty", "-m", "second"});
  begin(R"([{"git_commit_exists": true}])");
  git({"checkout", "-q", "HEAD~1"});
  EXPECT_TRUE(close().contains("adds nothing to what existed before"));
  commit("third");
  EXPECT_EQ(close(), "");
}

// Enforces: G15
TEST_F(cheating, by_a_branch_that_was_made_before) {
  git({"init", "-q", "-b", "main"});
  git({"commit", "-q", "--allow-empty", "-m", "first"});
  git({"checkout", "-q", "-b", "made"});
  git({"commit", "-q", "--allow-empty", "-m", "second"});
  git({"checkout", "-q", "main"});
  begin(R"([{"git_commit_exists": true}])");
  git({"merge", "-q", "--ff-only", "made"});
  EXPECT_TRUE(close().contains("adds nothing to what existed before"));
}

TEST_F(cheating, by_another_repository_in_the_place_of_the_first) {
  git({"init", "-q", "-b", "main"});
  git({"commit", "-q", "--allow-empty", "-m", "first"});
  begin(R"([{"git_commit_exists": true}])");
  fs::remove_all(path(".git"));
  git({"init", "-q", "-b", "main"});
  commit("another first");
  EXPECT_TRUE(close().contains("not the same repository as when the step began"));
}

TEST_F(cheating, a_first_commit_is_a_new_one) {
  begin(R"([{"git_commit_exists": true}])");
  EXPECT_TRUE(close().contains("no such commit"));
  git({"init", "-q", "-b", "main"});
  git({"commit", "-q", "--allow-empty", "-m", "first"});
  EXPECT_TRUE(close().contains("which brings no change of its own"));
  commit("second");
  EXPECT_EQ(close(), "");
}

// Enforces: G16
TEST_F(cheating, by_a_folder_of_files_that_look_like_a_repository) {
  git({"init", "-q", "-b", "main"});
  commit("first");
  git({"clone", "-q", "--bare", ".", "bare"});
  fs::rename(path("bare"), path("again"));
  fs::create_directory(path("bare"));
  for (const auto& each : fs::directory_iterator(path("again"))) {
    fs::rename(each.path(), fs::path(path("bare")) / each.path().filename());
  }
  const Probe looks[] = {{Probe::Kind::repository, "", {}, false},
                         {Probe::Kind::commit, "", {}, false}};
  for (const ProbeResult& each : reader_.look(path("bare"), looks, Commands::allowed)) {
    EXPECT_EQ(each.kind, ProbeResult::Kind::other);
    EXPECT_TRUE(each.said.contains("bare repository")) << each.said;
  }
}

// Enforces: G15
TEST_F(cheating, by_replacing_the_command_that_checks) {
  write(path("check.sh"), "#!/bin/sh\nexit 1\n");
  ::chmod(path("check.sh").c_str(), 0700);
  begin(R"([{"command": {"argv": ["./check.sh"]}}])");
  EXPECT_TRUE(close().contains("it ended with 1"));
  write(path("check.sh"), "#!/bin/sh\nexit 0\n");
  EXPECT_TRUE(close().contains("was changed in this step"));
}

TEST_F(cheating, by_replacing_the_script_that_checks) {
  write(path("check.sh"), "exit 1\n");
  begin(R"([{"command": {"argv": ["sh", "check.sh"]}}])");
  write(path("check.sh"), "exit 0\n");
  EXPECT_TRUE(close().contains("check.sh was changed in this step"));
}

TEST_F(cheating, a_script_that_the_step_has_to_write_may_change) {
  write(path("check.sh"), "exit 1\n");
  begin(R"([{"file_changed": "check.sh"}, {"command": {"argv": ["sh", "check.sh"]}}])");
  write(path("check.sh"), "exit 0\n");
  EXPECT_EQ(close(), "");
}

TEST_F(cheating, by_a_file_that_could_not_be_read_before) {
  ASSERT_EQ(::mkfifo(path("out.txt").c_str(), 0600), 0);
  begin(R"([{"file_changed": "out.txt"}])");
  fs::remove(path("out.txt"));
  write(path("out.txt"), "old work");
  EXPECT_TRUE(close().contains("not known"));
}

TEST_F(cheating, by_a_program_of_the_same_name_in_the_workspace) {
  begin(R"([{"command": {"argv": ["false"]}}])");
  write(path("false"), "#!/bin/sh\nexit 0\n");
  ::chmod(path("false").c_str(), 0700);
  EXPECT_TRUE(close().contains("it ended with 1"));
}

TEST_F(cheating, by_an_untrusted_workflow) {
  begin(R"([{"command": {"argv": ["true"]}}])");
  EXPECT_TRUE(close({}, Commands::refused).contains("the workflow is not trusted"));
}

TEST_F(cheating, by_an_artifact_that_is_too_small_or_another_one) {
  begin(R"([{"artifact": {"type": "report", "min_bytes": 60, "schema": {"required": ["text"]}}}])");
  const auto artifact = [](std::string_view kind, std::string_view key, std::size_t bytes) {
    return json::Array{json::Object{{"kind", kind}, {key, std::string(bytes, 'x')}}};
  };
  EXPECT_TRUE(close(artifact("report", "text", 10)).contains("found: one of "));
  EXPECT_TRUE(close(artifact("note", "text", 100)).contains("found: none of that type"));
  EXPECT_TRUE(close(artifact("report", "other", 100)).contains("does not match"));
  EXPECT_EQ(close(artifact("report", "text", 100)), "");
}

// Enforces: G9
TEST_F(cheating, files_are_searched_up_to_the_limit) {
  begin(R"([{"file_contains": {"path": "out.txt", "pattern": "end$"}}])");
  std::string text(limits::evidence_file_bytes_max - 3, 'x');
  write(path("out.txt"), text + "end");
  EXPECT_EQ(close(), "");
  write(path("out.txt"), text + "1end");
  EXPECT_TRUE(close().contains("more than the"));
}

}  // namespace
}  // namespace baton::contract
