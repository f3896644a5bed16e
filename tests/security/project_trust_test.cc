// Trust that was given for one project, used in another one or after its files have changed. 0
// canaries written is the only passing count.

#include "project_world.h"

namespace baton::security {
namespace {

using json::Array;
using json::Object;

class project_trust : public ProjectWorld {
 protected:
  fs::path canary() const { return scratch_.path() / "canary"; }

  std::string hostile() const { return cat("#!/bin/sh\necho ran >> ", canary().string(), "\n"); }

  fs::path other() {
    const fs::path folder = scratch_.path() / "other";
    fs::create_directories(folder);
    return folder;
  }
};

constexpr std::string_view flow = R"(
id: build
steps:
  - {id: first, type: shell_command, argv: [sh, .baton/check.sh]}
  - {id: second, type: shell_command, command: "cd tools && ./x.sh 'a b'"}
  - {id: end, prompt: The end.}
)";

// Enforces: G21
TEST_F(project_trust, of_a_bundled_workflow_runs_no_script_of_another_repository) {
  run(project(), {"trust", "baton.standards-fix", "--yes"});
  // Another repository brings the script that the workflow's commands name.
  write_file(other() / ".baton/standards-check.sh", hostile());
  write_file(other() / "a.py", "x = 1\n");
  serve(other(), {"--surface", "atomic"});
  const crash::Answer started = MUST(
      server_->call({"workflow_start",
                     {{"workflow", "baton.standards-fix"}, {"workspace_path", other().string()}}}));
  ASSERT_FALSE(started.is_error()) << started.text;
  EXPECT_TRUE(started.result.contains("is trusted for")) << started.result;
  EXPECT_FALSE(fs::exists(canary()));
  // The first command is the agent's, and so are all of them.
  const std::string id = started.field("workflow_id");
  const crash::Answer next = MUST(server_->call({"workflow_get_next_step", {{"workflow_id", id}}}));
  EXPECT_TRUE(next.result.contains("agent_shell_command")) << next.result;
  EXPECT_FALSE(fs::exists(canary()));
}

// Enforces: G21
TEST_F(project_trust, ends_with_a_change_of_a_file_that_a_command_names) {
  write_file(home() / ".baton/workflows/build.yaml", flow);
  write_file(project() / ".baton/check.sh", "echo fine\n");
  write_file(project() / "tools/x.sh", "#!/bin/sh\necho \"$1\"\n");
  ::chmod((project() / "tools/x.sh").c_str(), 0700);
  const std::string shown = run(project(), {"trust", "build", "--yes"});
  EXPECT_TRUE(shown.contains("  .baton/check.sh\n")) << shown;
  EXPECT_TRUE(shown.contains("  tools/x.sh\n")) << shown;
  EXPECT_TRUE(shown.contains(cat("project:  ", fs::canonical(project()).string(), '\n'))) << shown;
  serve(project());
  EXPECT_TRUE(start_run("build", project()).result.contains("The end."));
  // The agent changes one of them.
  write_file(project() / "tools/x.sh", hostile());
  crash::Answer answer = start_run("build", project());
  EXPECT_TRUE(
      answer.result.contains("Baton did not run the command of this step: tools/x.sh, "
                             "which the command names, has changed"))
      << answer.result;
  EXPECT_TRUE(answer.result.contains("baton trust build --project ")) << answer.result;
  write_file(project() / ".baton/check.sh", hostile());
  EXPECT_TRUE(start_run("build", project()).result.contains(".baton/check.sh, which"));
  EXPECT_FALSE(fs::exists(canary()));
  // The user looks again, while the server runs.
  run(project(), {"trust", "build", "--yes"});
  EXPECT_TRUE(start_run("build", project()).result.contains("The end."));
  EXPECT_TRUE(fs::exists(canary()));
}

// Enforces: G21
TEST_F(project_trust, does_not_cover_a_file_that_was_not_there) {
  write_file(home() / ".baton/workflows/build.yaml", flow);
  run(project(), {"trust", "build", "--yes"});
  write_file(project() / ".baton/check.sh", hostile());
  serve(project());
  EXPECT_TRUE(start_run("build", project()).result.contains("was not there when"));
  EXPECT_FALSE(fs::exists(canary()));
}

// Enforces: G21
TEST_F(project_trust, of_evidence_is_bound_in_the_same_way) {
  write_file(home() / ".baton/workflows/prove.yaml",
             "id: prove\nsteps:\n  - id: do\n    prompt: Do it.\n    evidence:\n"
             "      - command: {argv: [sh, check.sh]}\n  - {id: end, prompt: The end.}\n");
  write_file(project() / "check.sh", "true\n");
  run(project(), {"trust", "prove", "--yes"});
  serve(project());
  const auto claim = [&](const fs::path& workspace) {
    const crash::Answer started = start_run("prove", workspace);
    if (workspace == project()) write_file(project() / "check.sh", hostile());
    return MUST(server_->call(crash::advance_call(started.field("ackToken"), "done"))).result;
  };
  EXPECT_TRUE(
      claim(project()).contains("it was not run: check.sh, which the command names, has "
                                "changed"));
  write_file(other() / "check.sh", hostile());
  EXPECT_TRUE(claim(other()).contains("EVIDENCE_MISSING"));
  EXPECT_FALSE(fs::exists(canary()));
  write_file(project() / "check.sh", "true\n");
  const crash::Answer started = start_run("prove", project());
  EXPECT_TRUE(MUST(server_->call(crash::advance_call(started.field("ackToken"), "done")))
                  .result.contains("The end."));
}

// Enforces: G21
TEST_F(project_trust, of_an_older_release_has_to_be_renewed) {
  write_file(home() / ".baton/workflows/build.yaml", flow);
  write_file(project() / ".baton/check.sh", hostile());
  write_file(project() / "tools/x.sh", "true\n");
  const std::string shown = run(project(), {"trust", "build"});
  const std::size_t at = shown.find("sha256:") + 7;
  const fs::path list = home() / ".local/share/baton/trusted.json";
  write_file(list, cat(R"({"version": 1, "workflows": [{"hash": ")", shown.substr(at, 64),
                       R"(", "id": "build", "since": 1}]})"));
  ::chmod(list.c_str(), 0600);
  serve(project());
  const crash::Answer answer = start_run("build", project());
  EXPECT_TRUE(answer.result.contains("before trust was bound to a project")) << answer.result;
  EXPECT_FALSE(fs::exists(canary()));
}

}  // namespace
}  // namespace baton::security
