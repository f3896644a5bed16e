// What every program is kept from: rights by its file, more of the machine than
// it may have, and in a sandbox writing anywhere else.

#include "adapters/process/containment.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/process/run_process.h"
#include "adapters/process/writable.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;
using ports::Process;
using ports::ProcessEnd;
using ports::ProcessResult;

class containment : public ::testing::Test {
 protected:
  containment() {
    std::string name = (fs::temp_directory_path() / "baton-contained-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    for (const char* folder : {"work", "temporary", "other", "extra"}) {
      fs::create_directory(root_ / folder);
    }
  }
  ~containment() override { fs::remove_all(root_); }

  Process sh(std::string text) const {
    return {.argv = {"sh", "-c", std::move(text)},
            .directory = (root_ / "work").string(),
            .environment = {{"PATH", "/usr/bin:/bin"}, {"TMPDIR", (root_ / "temporary").string()}}};
  }
  Process sandboxed(std::string text) const {
    Process out = sh(std::move(text));
    out.sandbox = {(root_ / "work").string(), {(root_ / "extra").string()}};
    return out;
  }
  void write(const std::string& name, std::string_view text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::string text_of(const std::string& name) const {
    std::string out;
    std::getline(std::ifstream(root_ / name), out, '\0');
    return out;
  }

  /// As /proc/self/limits shows it to the program: soft and hard.
  static std::string limit_in(const std::string& output, std::string_view name) {
    const std::size_t at = output.find(name);
    if (at == std::string::npos) return {};
    std::istringstream words(output.substr(at + name.size()));
    std::string soft;
    std::string hard;
    words >> soft >> hard;
    return cat(soft, ' ', hard);
  }

  fs::path root_;
};

// Enforces: G26
TEST_F(containment, a_program_gets_no_rights_by_its_file) {
  const ProcessResult result = run_process(sh("grep NoNewPrivs /proc/self/status"));
  EXPECT_EQ(result.output, "NoNewPrivs:\t1\n");
}

// Enforces: G26
TEST_F(containment, a_program_leaves_no_core_file) {
  EXPECT_EQ(run_process(sh("ulimit -Hc; ulimit -Sc")).output, "0\n0\n");
}

// Enforces: G9
TEST_F(containment, usual_limits_hold_and_raise_nothing) {
  const std::string limits = run_process(sh("cat /proc/self/limits")).output;
  const auto expected = [](int resource, std::uint64_t most) {
    rlimit own{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &own);
    const auto shown = [](rlim_t value) {
      return value == RLIM_INFINITY ? std::string("unlimited") : cat(value);
    };
    return cat(shown(std::min<rlim_t>(own.rlim_cur, most)), ' ',
               shown(std::min<rlim_t>(own.rlim_max, most)));
  };
  EXPECT_EQ(limit_in(limits, "Max open files"),
            expected(RLIMIT_NOFILE, limits::command_open_files_max));
  EXPECT_EQ(limit_in(limits, "Max processes"),
            expected(RLIMIT_NPROC, limits::command_processes_max));
  EXPECT_EQ(limit_in(limits, "Max file size"),
            expected(RLIMIT_FSIZE, limits::command_file_bytes_max));
  EXPECT_EQ(limit_in(limits, "Max cpu time"),
            expected(RLIMIT_CPU, limits::command_cpu_seconds_max));
  EXPECT_EQ(limit_in(limits, "Max address space"), expected(RLIMIT_AS, RLIM_INFINITY));
}

// Enforces: G9
TEST_F(containment, open_files_are_limited_on_both_sides) {
  Process process = sh("");
  process.argv = {"bash", "-c", "exec 8</dev/null && echo fits"};
  process.resources.open_files = 9;  // numbers 0 to 8
  EXPECT_EQ(run_process(process).output, "fits\n");
  process.resources.open_files = 8;
  EXPECT_EQ(run_process(process).output, "");
}

// Enforces: G9
TEST_F(containment, size_of_a_file_is_limited_on_both_sides) {
  Process process = sh("head -c 1000 /dev/zero > file");
  process.resources.file_bytes = 1'000;
  EXPECT_EQ(run_process(process).code, 0);
  process.argv = {"sh", "-c", "exec head -c 1001 /dev/zero > file"};
  const ProcessResult result = run_process(process);
  EXPECT_EQ(result.end, ProcessEnd::signalled);
  EXPECT_EQ(result.code, SIGXFSZ);
  EXPECT_EQ(fs::file_size(root_ / "work/file"), 1'000u);
}

// Enforces: G9
TEST_F(containment, cpu_time_is_limited) {
  Process process = sh("while :; do :; done");
  process.resources.cpu_seconds = 1;
  EXPECT_EQ(run_process(process).end, ProcessEnd::signalled);
}

// Enforces: G9
TEST_F(containment, memory_is_limited_on_both_sides_when_set) {
  Process process = sh("exec dd if=/dev/zero of=/dev/null bs=16M count=1");
  process.resources.memory_bytes = 64u << 20;
  EXPECT_EQ(run_process(process).code, 0);
  process.argv.back() = "exec dd if=/dev/zero of=/dev/null bs=128M count=1";
  EXPECT_NE(run_process(process).code, 0);
}

TEST_F(containment, without_a_limit_the_programs_are_as_the_runners) {
  Process process = sh("ulimit -Hn; ulimit -Hf");
  process.resources = {.open_files = {}, .processes = {}, .file_bytes = {}, .cpu_seconds = {}};
  rlimit own{};
  ::getrlimit(RLIMIT_NOFILE, &own);
  EXPECT_EQ(run_process(process).output, cat(own.rlim_max, "\nunlimited\n"));
}

TEST_F(containment, limits_of_one_program_are_not_those_of_the_next) {
  Process process = sh("true");
  process.resources.open_files = 9;
  run_process(process);
  EXPECT_NE(run_process(sh("ulimit -Sn")).output, "9\n");
}

// Enforces: G26
TEST_F(containment, what_may_not_start_is_not_started_and_says_why) {
  Process process = sh(": > started");
  process.why_not = [] { return std::string("it changed"); };
  const ProcessResult result = run_process(process);
  EXPECT_EQ(result.end, ProcessEnd::not_started);
  EXPECT_EQ(result.refused, "it changed");
  EXPECT_FALSE(fs::exists(root_ / "work/started"));
  process.why_not = [] { return std::string(); };
  EXPECT_EQ(run_process(process).end, ProcessEnd::exited);
  EXPECT_TRUE(fs::exists(root_ / "work/started"));
}

// --- the sandbox ---------------------------------------------------------------------------------

class command_sandbox : public containment {
 protected:
  /// On an older kernel there is none, and asking for one is refused.
  const bool has_sandbox_ = why_no_sandbox().empty();

  /// Whether a shell can do it in a sandbox, and whether it can without one: else it proves
  /// nothing.
  bool can(const std::string& text) {
    const bool can_inside = run_process(sandboxed(text)).code == 0;
    if (!can_inside) {
      EXPECT_EQ(run_process(sh(text)).code, 0) << "not even without a sandbox: " << text;
    }
    return can_inside;
  }
};

TEST_F(command_sandbox, lets_write_in_the_workspace_and_where_it_may) {
  if (!has_sandbox_) return;
  for (const std::string& text :
       {std::string("echo x > a && echo y >> a && mkdir -p b/c && mv a b/c/d && rm b/c/d"),
        std::string("ln -s x link && mkfifo pipe && rm link pipe"),
        std::string("echo x > \"$TMPDIR/a\" && mv \"$TMPDIR/a\" . && rm a"),
        cat("echo x > ", (root_ / "extra/a").string()),
        std::string("echo x > /dev/null && dd if=/dev/zero of=/dev/null count=1 2> /dev/null"),
        std::string("echo x > /dev/stderr && echo x > /dev/stdout")}) {
    EXPECT_TRUE(can(text)) << text;
  }
}

TEST_F(command_sandbox, lets_read_and_execute_everywhere) {
  if (!has_sandbox_) return;
  write("other/secret", "known\n");
  EXPECT_EQ(run_process(sandboxed("cat ../other/secret; /bin/echo ran")).output, "known\nran\n");
}

// Enforces: G26
TEST_F(command_sandbox, keeps_all_else_as_it_is) {
  if (!has_sandbox_) return;
  const std::string other = (root_ / "other").string();
  write("other/file", "kept\n");
  write("other/folder/file", "kept\n");
  for (const std::string& text :
       {cat("echo x > ", other, "/new"), cat("echo x >> ", other, "/file"),
        cat(": > ", other, "/file"), cat("truncate -s 0 ", other, "/file"),
        cat("mkdir ", other, "/new"), cat("ln -s x ", other, "/new"), cat("mkfifo ", other, "/new"),
        cat("ln ", other, "/file ", other, "/new"), cat("ln ", other, "/file hard"),
        cat("mv ", other, "/file ."), cat("touch moved && mv moved ", other, "/new"),
        cat("rm ", other, "/file"), cat("rm -r ", other, "/folder"), cat("rmdir ../temporary"),
        cat("ln -s ", other, "/file link && echo x > link"),
        cat("ln -s ", other, " up && echo x > up/new"),
        cat("setsid sh -c 'echo x > ", other, "/new'"), cat("(cd ", other, " && echo x > new)")}) {
    fs::remove_all(root_ / "work");
    fs::create_directory(root_ / "work");
    EXPECT_FALSE(run_process(sandboxed(text)).code == 0) << text;
    EXPECT_EQ(text_of("other/file"), "kept\n") << text;
    EXPECT_EQ(text_of("other/folder/file"), "kept\n") << text;
    EXPECT_FALSE(fs::exists(root_ / "other/new")) << text;
  }
}

TEST_F(command_sandbox, holds_for_what_a_program_leaves_to_others) {
  if (!has_sandbox_) return;
  write("other/file", "kept\n");
  write("work/inner.sh", cat("echo x > ", (root_ / "other/file").string(), "\n"));
  EXPECT_NE(run_process(sandboxed("sh inner.sh & wait $!")).code, 0);
  EXPECT_EQ(text_of("other/file"), "kept\n");
}

TEST_F(command_sandbox, still_ends_what_it_started) {
  if (!has_sandbox_) return;
  Process process = sandboxed("setsid sleep 1000 & echo $!");
  const ProcessResult result = run_process(process);
  const auto pid = parse_int(result.output.substr(0, result.output.find('\n')));
  ASSERT_TRUE(pid);
  EXPECT_NE(::kill(static_cast<pid_t>(*pid), 0), 0);
}

TEST_F(command_sandbox, covers_the_repository_of_a_linked_work_tree) {
  if (!has_sandbox_) return;
  const auto git = [&](const std::string& text) {
    Process process = sh(cat("cd ", root_.string(), " && ", text));
    process.environment["HOME"] = root_.string();
    const ProcessResult result = run_process(process);
    EXPECT_EQ(result.code, 0) << result.errors;
  };
  git("git init -q main && cd main && git -c user.name=a -c user.email=a@b commit -q "
      "--allow-empty -m one && git worktree add -q ../work/tree");
  const std::vector<std::string> paths =
      writable_paths({(root_ / "work/tree").string(), {}}, {{"TMPDIR", "/t"}});
  EXPECT_EQ(paths, (std::vector<std::string>{(root_ / "work/tree").string(),
                                             fs::canonical(root_ / "main/.git").string(), "/t"}));
  Process commit = sandboxed(
      "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two && git log --oneline");
  commit.directory = (root_ / "work/tree").string();
  commit.sandbox = {commit.directory, {}};
  commit.environment["HOME"] = root_.string();
  EXPECT_EQ(run_process(commit).code, 0);
  // In a folder of the main work tree as well.
  fs::create_directory(root_ / "main/sub");
  EXPECT_EQ(writable_paths({(root_ / "main/sub").string(), {}}, {})[1],
            fs::canonical(root_ / "main/.git").string());
}

// Enforces: G26
TEST_F(command_sandbox, is_opened_to_no_folder_by_what_a_project_says_of_git) {
  if (!has_sandbox_) return;
  // Another user's private folder that looks like a repository.
  for (const char* name : {"private/HEAD", "private/objects/x", "private/worktrees/w/x"}) {
    write(name, "x");
  }
  const auto paths = [&] {
    return writable_paths({(root_ / "work").string(), {}}, {{"TMPDIR", "/t"}});
  };
  const std::vector<std::string> closed = {(root_ / "work").string(), "/t"};
  for (const std::string& target :
       {(root_ / "private").string(), (root_ / "private/worktrees/w").string(),
        std::string("../private/worktrees/w"), std::string("/"), std::string("")}) {
    write("work/.git", cat("gitdir: ", target, "\n"));
    EXPECT_EQ(paths(), closed) << target;
  }
  fs::remove(root_ / "work/.git");
  fs::create_directory_symlink(root_ / "private", root_ / "work/.git");
  EXPECT_EQ(paths(), closed);
  // A work tree in the project itself whose repository is said to be elsewhere.
  fs::remove(root_ / "work/.git");
  write("work/own/worktrees/w/gitdir", cat((root_ / "work/.git").string(), "\n"));
  write("work/own/worktrees/w/commondir", cat((root_ / "private").string(), "\n"));
  write("work/own/HEAD", "x");
  fs::create_directory(root_ / "work/own/objects");
  write("work/.git", "gitdir: own/worktrees/w\n");
  EXPECT_EQ(paths(), (std::vector<std::string>{(root_ / "work").string(),
                                               fs::canonical(root_ / "work/own").string(), "/t"}));
}

}  // namespace
}  // namespace baton::adapters
