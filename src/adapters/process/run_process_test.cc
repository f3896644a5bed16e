#include "adapters/process/run_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "adapters/files/descriptor.h"
#include "adapters/process/host_processes.h"
#include "base/text/text.h"

// Declared here because the header of glibc 2.36 forgets to say extern "C".
extern "C" int pidfd_open(pid_t pid, unsigned int flags) noexcept;

namespace baton::adapters {
namespace {

using ports::Process;
using ports::ProcessEnd;
using ports::ProcessResult;

constexpr std::int64_t long_ms = 60'000;

class processes : public ::testing::Test {
 protected:
  processes() {
    std::string name = (std::filesystem::temp_directory_path() / "baton-process-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~processes() override { std::filesystem::remove_all(folder_); }

  Process sh(std::string text) const {
    return {.argv = {"sh", "-c", std::move(text)},
            .directory = folder_,
            .environment = {{"PATH", "/usr/bin:/bin"}}};
  }

  /// The process that wrote its number into a file; 0 while there is none.
  pid_t noted(const std::string& name) const {
    std::ifstream file(cat(folder_, '/', name));
    pid_t pid = 0;
    file >> pid;
    return file.good() ? pid : 0;
  }

  static bool is_gone(pid_t pid) { return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH; }

  std::string folder_;
};

/// Notes its number when it is well under way, and lives until it is killed.
std::string lingerer(std::string_view name) {
  return cat("'echo $$ > ", name, ".new && mv ", name, ".new ", name, " && exec sleep 1000'");
}
std::string until_noted(std::string_view name) {
  return cat("while [ ! -e ", name, " ]; do read -r x < /proc/loadavg; done");
}

TEST_F(processes, gets_words_environment_and_directory_as_they_are) {
  const Process process{.argv = {"/usr/bin/printf", "%s|", "a b", "$WORD", "*", "'", ""},
                        .directory = folder_,
                        .environment = {}};
  EXPECT_EQ(run_process(process).output, "a b|$WORD|*|'||");
  Process env{.argv = {"env"},
              .directory = folder_,
              .environment = {{"ONE", "1\n2"}, {"PATH", "/usr/bin"}}};
  EXPECT_EQ(run_process(env).output, "ONE=1\n2\nPATH=/usr/bin\n");
  EXPECT_EQ(run_process(sh("pwd -P")).output,
            cat(std::filesystem::canonical(folder_).string(), '\n'));
}

TEST_F(processes, any_bytes_can_be_read_back) {
  EXPECT_EQ(run_process(sh("printf '\\000\\377\\n'")).output, std::string("\0\377\n", 3));
}

TEST_F(processes, program_is_looked_for_in_absolute_folders_of_the_path_alone) {
  EXPECT_EQ(find_program("sh", {{"PATH", "bin:.:/nonexistent:/bin"}}, "/"), "/bin/sh");
  EXPECT_EQ(find_program("sh", {{"PATH", "bin:."}}, "/bin"), "");
  EXPECT_EQ(find_program("etc", {{"PATH", "/"}}, "/"), "");
  EXPECT_EQ(find_program("", {{"PATH", "/bin"}}, "/"), "");
}

TEST_F(processes, path_to_a_program_starts_at_the_directory) {
  std::ofstream(cat(folder_, "/tool")) << "#!/bin/sh\necho here\n";
  Process process = sh("");
  process.argv = {"./tool"};
  EXPECT_EQ(run_process(process).end, ProcessEnd::not_found);  // it cannot be executed
  ::chmod(cat(folder_, "/tool").c_str(), 0700);
  EXPECT_EQ(run_process(process).output, "here\n");
}

TEST_F(processes, what_cannot_be_started_says_why) {
  Process process = sh("true");
  process.directory = cat(folder_, "/missing");
  EXPECT_EQ(run_process(process), (ProcessResult{ProcessEnd::not_started, ENOENT, "", "", 0, 0}));
  std::ofstream(cat(folder_, "/tool")) << "#!/no/such/interpreter\n";
  ::chmod(cat(folder_, "/tool").c_str(), 0700);
  process = sh("");
  process.argv = {"./tool"};
  EXPECT_EQ(run_process(process).end, ProcessEnd::not_started);
  process = sh("true");
  process.environment["HUGE"] = std::string(4u << 20, 'x');
  EXPECT_EQ(run_process(process), (ProcessResult{ProcessEnd::not_started, E2BIG, "", "", 0, 0}));
}

TEST_F(processes, what_would_not_arrive_whole_is_not_passed) {
  for (int place = 0; place < 5; ++place) {
    Process process = sh("true");
    const std::string cut("a\0b", 3);
    if (place == 0) process.argv.push_back(cut);
    if (place == 1) process.environment["NAME"] = cut;
    if (place == 2) process.environment[cut] = "value";
    if (place == 3) process.environment["NAME=OTHER"] = "value";
    if (place == 4) process.directory += cut;
    EXPECT_EQ(run_process(process), (ProcessResult{ProcessEnd::not_started, 0, "", "", 0, 0}))
        << place;
  }
}

// Enforces: G9
TEST_F(processes, hundred_megabytes_are_cut_and_the_program_ends_well) {
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  const ProcessResult result =
      run_process(sh("head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2; echo end >&2"));
  EXPECT_EQ(result.end, ProcessEnd::exited);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output.size(), limits::process_output_bytes_max);
  EXPECT_EQ(result.errors.size(), limits::process_errors_bytes_max);
  EXPECT_TRUE(result.errors.ends_with("end\n"));
  EXPECT_TRUE(result.output_cut && result.errors_cut);
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16 << 10);  // KiB
}

TEST_F(processes, endless_output_is_stopped_where_that_was_asked_for) {
  Process process = sh("exec cat /dev/zero");
  process.when_full = ports::WhenFull::stop;
  const ProcessResult result = run_process(process);
  EXPECT_EQ(result.end, ProcessEnd::stopped);
  EXPECT_EQ(result.output.size(), limits::process_output_bytes_max);
}

// Enforces: G9
TEST_F(processes, endless_output_does_not_hide_the_clock) {
  Process process = sh("exec cat /dev/zero");
  process.ms_max = 50;
  EXPECT_EQ(run_process(process).end, ProcessEnd::timed_out);
}

TEST_F(processes, children_left_behind_are_gone_when_it_has_ended) {
  EXPECT_EQ(run_process(sh(cat("sh -c ", lingerer("a"), " & ", until_noted("a"), "; exit 3"))).code,
            3);
  EXPECT_TRUE(is_gone(noted("a")));
}

TEST_F(processes, children_that_went_away_into_sessions_of_their_own_are_gone_too) {
  // By setsid, orphaned twice over, and with the pipes closed.
  const ProcessResult result = run_process(
      sh(cat("setsid sh -c ", lingerer("a"), " & ", "(setsid sh -c ", lingerer("b"), " &); ",
             "(setsid sh -c \"setsid sh -c ", lingerer("c"), " &\" > /dev/null 2>&1 &); ",
             until_noted("a"), "; ", until_noted("b"), "; ", until_noted("c"))));
  EXPECT_EQ(result.end, ProcessEnd::exited);
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(is_gone(noted(name))) << name;
}

TEST_F(processes, all_that_it_started_ends_when_it_is_stopped) {
  HostProcesses runner;
  const auto running = runner.start(
      sh(cat("(setsid sh -c \"setsid sh -c ", lingerer("a"), " &\" &); exec sleep 1000")));
  while (noted("a") == 0) ASSERT_EQ(running->wait(1), std::nullopt);
  running->stop();
  EXPECT_EQ(running->wait(long_ms)->end, ProcessEnd::stopped);
  EXPECT_TRUE(is_gone(noted("a")));
}

TEST_F(processes, one_that_keeps_forking_away_from_itself_is_caught) {
  // Each link of the chain starts the next one and ends.
  std::ofstream(cat(folder_, "/link")) << "#!/bin/sh\n: > linked\nsetsid ./link &\n";
  ::chmod(cat(folder_, "/link").c_str(), 0700);
  EXPECT_EQ(run_process(sh(cat("./link & ", until_noted("linked")))).end, ProcessEnd::exited);
  // No process is left that would create it again.
  std::filesystem::remove(cat(folder_, "/linked"));
  EXPECT_EQ(run_process(sh("true")).code, 0);
  EXPECT_FALSE(std::filesystem::exists(cat(folder_, "/linked")));
}

TEST_F(processes, it_is_killed_with_the_process_that_runs_it) {
  const pid_t runner = ::fork();
  if (runner == 0) {
    run_process(sh(cat("setsid sh -c ", lingerer("a"), " & exec sleep 1000")));
    ::_exit(0);
  }
  pollfd nothing{-1, 0, 0};
  while (noted("a") == 0) ::poll(&nothing, 1, 1);
  const Descriptor escapee(::pidfd_open(noted("a"), 0));
  ASSERT_TRUE(escapee.is_open());
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  pollfd ended{escapee.number(), POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, long_ms), 1);
}

TEST_F(processes, a_supervisor_that_was_killed_leaves_an_unknown_end) {
  // The supervisor is the parent of the command.
  EXPECT_EQ(run_process(sh("kill -9 $PPID; exec sleep 0.2")).end, ProcessEnd::unknown);
}

TEST_F(processes, no_descriptor_is_passed_on_and_none_is_left) {
  const Descriptor open_to_all(::open("/", O_RDONLY | O_DIRECTORY));  // not closed on exec
  const auto open_now = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_now();
  // Three, and the one that lists.
  EXPECT_EQ(run_process(sh("ls /proc/self/fd")).output, "0\n1\n2\n3\n");
  Process missing = sh("true");
  missing.directory = "/nonexistent";
  run_process(missing);
  EXPECT_EQ(open_now(), before);
}

TEST_F(processes, signals_are_as_usual_for_it) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  const ProcessResult result = run_process(sh("grep -E 'Sig(Blk|Ign)' /proc/self/status"));
  pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  ::signal(SIGPIPE, before);
  // Of those that a program can mean; the C library keeps two for itself.
  EXPECT_TRUE(result.output.starts_with("SigBlk:\t0000000000000000\n")) << result.output;
  EXPECT_TRUE(result.output.ends_with("0000000\n")) << result.output;
}

TEST_F(processes, many_threads_run_programs_at_once) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        // Heap traffic beside the forks of the others.
        std::vector<std::string> noise(100, std::string(1000, 'n'));
        Process process = sh(cat("cat; echo ", i));
        process.input = noise.back();
        if (run_process(process).output != cat(noise.front(), i, '\n')) ++wrong[i];
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, std::vector<int>(8));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was not waited for";
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace baton::adapters
