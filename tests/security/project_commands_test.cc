// What the commands of a trusted workflow get of the server and may do to the machine, by the real
// server.

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "project_world.h"

namespace baton::security {
namespace {

class project_commands : public ProjectWorld {
 protected:
  /// What a command writes, run by a server with these variables.
  std::string output_of(std::string_view command, const std::vector<std::string>& environment = {},
                        std::string_view fields = "") {
    write_file(home() / ".baton/workflows/probe.yaml",
               cat("id: probe\ndefault_state: {raw: {}}\nstate_schema: {raw: {out: string}}\n"
                   "steps:\n  - id: look\n    type: shell_command\n    command: |\n      ",
                   command, "\n    store_result: raw.out\n", fields,
                   "  - {id: tell, prompt: \"<<{{ out }}>>\"}\n"));
    run(project(), {"trust", "probe", "--yes"});
    serve(project(), {}, environment);
    const crash::Answer answer = start_run("probe", project());
    const json::Value* pending = answer.structured.find("pending");
    const json::Value* prompt = pending == nullptr ? nullptr : pending->find("prompt");
    return prompt == nullptr ? answer.result + answer.text : *prompt->if_string();
  }
};

const std::vector<std::string> secrets = {"AWS_SECRET_ACCESS_KEY=s3cret",
                                          "GITHUB_TOKEN=s3cret",
                                          "SSH_AUTH_SOCK=/s3cret",
                                          "LD_AUDIT=",
                                          "CARGO_HOME=/cargo",
                                          "BATON_TOKEN_FILE=/s3cret"};

// Enforces: G26
TEST_F(project_commands, get_the_usual_variables_and_no_secret_of_the_server) {
  const std::string out = output_of("env", secrets);
  EXPECT_TRUE(out.contains("PATH=")) << out;
  EXPECT_TRUE(out.contains(cat("HOME=", home().string()))) << out;
  EXPECT_FALSE(out.contains("s3cret")) << out;
  EXPECT_FALSE(out.contains("CARGO_HOME")) << out;
}

// Enforces: G26
TEST_F(project_commands, get_what_the_owner_names) {
  configure("commands.env: [GITHUB_*, CARGO_HOME]\n");
  const std::string out = output_of("env", secrets);
  EXPECT_TRUE(out.contains("GITHUB_TOKEN=s3cret")) << out;
  EXPECT_TRUE(out.contains("CARGO_HOME=/cargo")) << out;
  EXPECT_FALSE(out.contains("AWS_SECRET")) << out;
}

// Enforces: G26
TEST_F(project_commands, of_evidence_and_git_get_no_secret_either) {
  // A git on the PATH that tells what it is given.
  write_file(home() / "bin/git",
             cat("#!/bin/sh\nenv >> ", (scratch_.path() / "seen").string(), "\n"));
  ::chmod((home() / "bin/git").c_str(), 0700);
  write_file(project() / ".git/HEAD", "ref: refs/heads/main\n");
  write_file(home() / ".baton/workflows/prove.yaml",
             cat("id: prove\nsteps:\n  - id: do\n    prompt: Do it.\n    evidence:\n"
                 "      - git_commit_exists: true\n"
                 "      - command: {argv: [sh, -c, 'env >> ",
                 (scratch_.path() / "seen").string(), "']}\n"));
  run(project(), {"trust", "prove", "--yes"});
  std::vector<std::string> environment = secrets;
  environment.push_back(cat("PATH=", (home() / "bin").string(), ":/usr/bin:/bin"));
  serve(project(), {"--surface", "all"}, environment);
  const crash::Answer started = start_run("prove", project());
  MUST(server_->call(crash::advance_call(started.field("ackToken"), "done")));
  EXPECT_TRUE(text_of(scratch_.path() / "seen").contains("PATH="));
  EXPECT_FALSE(text_of(scratch_.path() / "seen").contains("s3cret"))
      << text_of(scratch_.path() / "seen");
}

// Enforces: G26
TEST_F(project_commands, get_no_rights_by_a_programs_file_and_leave_no_core) {
  const std::string out = output_of("grep NoNewPrivs /proc/self/status; ulimit -Hc");
  EXPECT_TRUE(out.contains("NoNewPrivs:\t1\n0")) << out;
}

// Enforces: G9
TEST_F(project_commands, are_limited_as_the_owner_says) {
  configure("commands.limits: [open_files=32, file_bytes=none]\n");
  EXPECT_TRUE(output_of("ulimit -Hn; ulimit -Hf").contains("<<32\nunlimited>>"));
}

bool has_landlock() { return ::syscall(444, nullptr, 0, 1) >= 3; }

class sandboxed_commands : public project_commands {
 protected:
  sandboxed_commands() { fs::create_directory(scratch_.path() / "temporary"); }

  /// A place that no sandbox is opened to, wherever the project and this test are.
  fs::path outside() const { return scratch_.path() / "outside"; }

  /// The folder for temporary files would be writable, and everything here may be beneath it.
  std::vector<std::string> environment() const {
    return {cat("TMPDIR=", (scratch_.path() / "temporary").string())};
  }
};

// Enforces: G26
TEST_F(sandboxed_commands, write_only_where_they_may_when_the_owner_asks_for_a_sandbox) {
  if (!has_landlock()) return;
  const std::string touch =
      cat("touch ", outside().string(),
          " 2>/dev/null && echo wrote || echo kept; touch inside && echo and");
  EXPECT_TRUE(output_of(touch, environment()).contains("<<wrote\nand>>"));
  fs::remove(outside());
  configure("commands.sandbox: workspace\n");
  EXPECT_TRUE(output_of(touch, environment()).contains("<<kept\nand>>"));
  EXPECT_FALSE(fs::exists(outside()));
  configure(cat("commands.sandbox: workspace\ncommands.writable: [",
                outside().parent_path().string(), "]\n"));
  EXPECT_TRUE(output_of(touch, environment()).contains("<<wrote\nand>>"));
}

// Enforces: G26
TEST_F(sandboxed_commands, write_only_where_they_may_when_their_step_asks_for_a_sandbox) {
  if (!has_landlock()) return;
  const std::string touch =
      cat("touch ", outside().string(), " 2>/dev/null && echo wrote || echo kept");
  EXPECT_TRUE(output_of(touch, environment(), "    sandbox: workspace\n").contains("<<kept>>"));
}

// Enforces: G26
TEST_F(sandboxed_commands, write_not_where_their_step_says_that_they_run) {
  if (!has_landlock()) return;
  fs::create_directory(outside());
  write_file(home() / ".baton/workflows/stray.yaml",
             cat("id: stray\nsteps:\n  - id: do\n    type: shell_command\n    sandbox: workspace\n"
                 "    working_directory: ",
                 outside().string(), "\n    command: \"touch stray; touch ",
                 (project() / "inside").string(), "\"\n  - {id: tell, prompt: Tell.}\n"));
  run(project(), {"trust", "stray", "--yes"});
  serve(project(), {}, environment());
  // No workspace: then it is the folder that the server was started in.
  MUST(server_->call({"start_workflow", {{"workflowId", "stray"}}}));
  EXPECT_TRUE(fs::exists(project() / "inside")) << text_of(errors());
  EXPECT_FALSE(fs::exists(outside() / "stray"));
}

/// Makes a call of the system unknown to this process and all that it starts.
void forget(std::uint32_t number) {
  const sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                              BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
                              BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                              BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program{sizeof code / sizeof code[0], const_cast<sock_filter*>(code)};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    ::_exit(9);
  }
}

// Enforces: G26
TEST_F(project_commands, a_sandbox_that_cannot_be_had_is_an_error_and_never_none) {
  // In a process of its own, since what it gives up it does not get back.
  EXPECT_EXIT(
      {
        forget(SYS_landlock_create_ruleset);
        const std::string wrote = output_of(": > ran", {}, "    sandbox: workspace\n");
        if (fs::exists(project() / "ran")) ::_exit(1);
        if (!wrote.contains("require a sandbox, and the kernel has none")) {
          std::fputs(wrote.c_str(), stderr);
          ::_exit(2);
        }
        server_.reset();
        configure("commands.sandbox: workspace\n");
        serve(project());
        const auto answer = server_->call({"list_workflows", {}});
        server_.reset();
        if (answer) ::_exit(3);  // it began to serve
        ::_exit(text_of(errors()).contains("the kernel has no Landlock") ? 0 : 4);
      },
      ::testing::ExitedWithCode(0), "");
}

// Enforces: G19
TEST_F(project_commands, of_an_old_kernel_do_not_keep_files_from_being_evidence) {
  EXPECT_EXIT(
      {
        forget(SYS_openat2);
        write_file(home() / ".baton/workflows/prove.yaml",
                   "id: prove\nsteps:\n  - id: do\n    prompt: Do it.\n    evidence: "
                   "[{file_exists: a/out.txt}, {file_exists: b/out.txt}]\n"
                   "  - {id: tell, prompt: Tell.}\n");
        serve(project());
        const crash::Answer started = start_run("prove", project());
        write_file(project() / "a/out.txt", "work");
        fs::create_symlink(project() / "a", project() / "b");
        const auto blocked =
            MUST(server_->call(crash::advance_call(started.field("ackToken"), "done")));
        const std::string told = blocked.result + blocked.text;
        std::fputs(told.c_str(), stderr);
        server_.reset();
        ::_exit(told.contains("file_exists a/out.txt") ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "file b/out.txt that is not empty; found: a symbolic link");
}

}  // namespace
}  // namespace baton::security
