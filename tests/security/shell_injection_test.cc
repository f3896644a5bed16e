// Values never become code: every payload in every place where the compiler allows a value, run
// by real shells. What was executed is written down by a recorder, which is the only program that
// the commands and the payloads know, and for a part of them by strace.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "adapters/process/run_process.h"
#include "base/text/text.h"
#include "exec_record.h"
#include "shell_payloads.h"
#include "workflow/text/shell_lexer.h"

namespace baton::security {
namespace {

namespace fs = std::filesystem;

/// A place for a value, and the arguments with which the recorder must be called; % is the value.
struct Place {
  std::string_view command;
  Arguments expected;
};

const std::vector<Place>& places() {
  static const std::vector<Place> all = {
      {"recorder {{ v }}", {"%"}},
      {"recorder a{{ v }}b", {"a%b"}},
      {"recorder --x={{ v }}.txt", {"--x=%.txt"}},
      {"recorder -- {{ v }}", {"--", "%"}},
      {"recorder {{ v }}{{ v }}", {"%%"}},
      {"recorder {{ v }} {{ v }}", {"%", "%"}},
      {"recorder \"{{ v }}\"", {"%"}},
      {"recorder \"a {{ v }} b\"", {"a % b"}},
      {"recorder \"'{{ v }}'\"", {"'%'"}},
      {"recorder \"\\\"{{ v }}\\\"\"", {"\"%\""}},
      {"recorder '{{ v }}'", {"%"}},
      {"recorder 'a {{ v }} b'", {"a % b"}},
      {"recorder '\"{{ v }}\"'", {"\"%\""}},
      {"recorder '$x{{ v }}`'", {"$x%`"}},
      {"recorder a'{{ v }}'\"{{ v }}\"{{ v }}", {"a%%%"}},
      {"recorder \\\n  {{ v }}", {"%"}},
      {"recorder {{ v }} # comment's", {"%"}},
      {"X={{ v }} recorder a", {"a"}},
      {"X={{ v }}; recorder \"$X\"", {"%"}},
      {"X=\"a{{ v }}\"; recorder \"$X\"", {"a%"}},
      {"X='{{ v }}'; recorder \"$X\"", {"%"}},
      {"export X={{ v }}; recorder \"$X\"", {"%"}},
      {"true && recorder {{ v }}", {"%"}},
      {"false || recorder {{ v }}", {"%"}},
      {": | recorder {{ v }}", {"%"}},
      {"! recorder {{ v }}", {"%"}},
      {"( recorder {{ v }} )", {"%"}},
      {"{ recorder {{ v }}; }", {"%"}},
      {"(true)# it's\nrecorder {{ v }}", {"%"}},
      {"if recorder {{ v }}; then :; fi", {"%"}},
      {"if [ {{ v }} = {{ v }} ]; then recorder same; fi", {"same"}},
      {"while recorder {{ v }}; do break; done", {"%"}},
      {"for x in {{ v }}; do recorder \"$x\"; done", {"%"}},
      {"for x in 'a{{ v }}'; do recorder \"$x\"; done", {"a%"}},
      {"case {{ v }} in *) recorder {{ v }};; esac", {"%"}},
      {"case x in x) recorder '{{ v }}';; esac", {"%"}},
      {"f() { recorder \"$1\"; }; f {{ v }}", {"%"}},
      {"set -- {{ v }}; recorder \"$@\"", {"%"}},
      {"recorder \"$(printf '%s.' {{ v }})\"", {"%."}},
      {"recorder \"$(printf '%s.' \"{{ v }}\")\"", {"%."}},
      {"recorder \"$(printf '%s.' '{{ v }}')\"", {"%."}},
      {"recorder \"a $(printf '%s.' \"b $(printf '%s.' '{{ v }}')\") c\"", {"a b %.. c"}},
      {"X=$(printf '%s.' {{ v }}); recorder \"$X\"", {"%."}},
      {"recorder ${none:-\"}\"} {{ v }}", {"}", "%"}},
      {"recorder \"${none:-'}\" {{ v }}", {"'", "%"}},
      {"recorder $((1 + (2))) {{ v }}", {"3", "%"}},
      {"recorder a <<E\nit's \"\nE\nrecorder {{ v }}", {"%"}},
      {"recorder {{ v }} <<-'E'\n\t`\n\tE\n", {"%"}},
      {"recorder {{ v }} > /dev/null 2>&1", {"%"}},
      {"2>/dev/null recorder {{ v }}", {"%"}},
      {"command recorder {{ v }}", {"%"}},
      {"exec recorder {{ v }}", {"%"}},
  };
  return all;
}

class shell_injection : public ::testing::TestWithParam<const char*> {
 protected:
  shell_injection() {
    std::string name = (fs::temp_directory_path() / "baton-shell-XXXXXX").string();
    folder_ = fs::canonical(::mkdtemp(name.data())).string();
    fs::create_directories(cat(folder_, "/bin"));
    fs::create_directories(cat(folder_, "/work"));
    fs::create_symlink(BATON_EXEC_RECORDER, recorder_ = cat(folder_, "/bin/recorder"));
  }
  ~shell_injection() override { fs::remove_all(folder_); }

  /// As /bin/sh is, where it is one of these.
  static std::vector<std::string> shell() {
    if (std::string_view(GetParam()) == "bash") return {"/bin/bash", "--posix"};
    return {"/bin/sh"};
  }

  /// The command as a process, with the value in the place of its slots.
  ports::Process process(const Place& place, const std::string& value) const {
    const workflow::LoweredShell lowered = workflow::lower_shell(place.command);
    EXPECT_TRUE(lowered.problems.empty())
        << place.command << ": " << lowered.problems.front().message;
    EXPECT_FALSE(lowered.slots.empty());
    ports::Process out{
        .argv = shell(),
        .directory = cat(folder_, "/work"),
        .environment = {{"PATH", cat(folder_, "/bin")}, {"RECORD", cat(folder_, "/record")}}};
    out.argv.insert(out.argv.end(), {"-c", lowered.command});
    for (const workflow::ShellSlot& slot : lowered.slots) out.environment[slot.variable] = value;
    return out;
  }

  /// All calls since the last question.
  std::vector<Arguments> recorded() { return take_record(cat(folder_, "/record")); }

  /// What must be recorded: every command here calls the recorder, some of them twice.
  static std::vector<Arguments> expected(const Place& place, const std::string& value) {
    Arguments call = {"recorder"};
    for (std::string word : place.expected) {
      for (std::size_t at = word.find('%'); at != std::string::npos; at = word.find('%', at)) {
        word.replace(at, 1, value);
        at += value.size();
      }
      call.push_back(std::move(word));
    }
    if (place.command.starts_with("recorder a <<E")) return {{"recorder", "a"}, std::move(call)};
    return {std::move(call)};
  }

  bool work_is_empty() const { return fs::is_empty(cat(folder_, "/work")); }

  std::string folder_;
  std::string recorder_;
};

// Enforces: G14
TEST_P(shell_injection, only_what_the_author_wrote_is_executed) {
  const std::vector<std::string> payloads = shell_payloads(recorder_);
  ASSERT_GE(payloads.size(), 200u);
  // All places one after the other in one script: they leave the shell as they found it, and the
  // last one ends it.
  std::string script;
  for (const Place& place : places()) script += cat(place.command, '\n');
  for (const std::string& value : payloads) {
    adapters::run_process(process({script, {}}, value));
    const std::vector<Arguments> calls = recorded();
    std::size_t at = 0;
    for (const Place& place : places()) {
      for (const Arguments& call : expected(place, value)) {
        ASSERT_LT(at, calls.size()) << place.command << "\nvalue: " << value;
        ASSERT_EQ(calls[at++], call) << place.command << "\nvalue: " << value;
      }
    }
    ASSERT_EQ(at, calls.size()) << "more was executed; value: " << value;
    ASSERT_TRUE(work_is_empty()) << value;
  }
}

// Enforces: G14
TEST_P(shell_injection, a_value_with_a_nul_is_not_passed_at_all) {
  for (const Place& place : places()) {
    const auto result = adapters::run_process(process(place, std::string("a\0b", 3)));
    ASSERT_EQ(result.end, ports::ProcessEnd::not_started);
  }
  EXPECT_TRUE(recorded().empty());
}

TEST_P(shell_injection, the_recorder_would_notice) {
  // The same payloads, spliced into the text as others do it.
  std::size_t hits = 0;
  for (const std::string& value : shell_payloads(recorder_)) {
    if (!value.contains("HIT")) continue;
    ports::Process spliced = process({"recorder {{ v }}", {}}, "");
    spliced.ms_max = 5'000;  // some of them wait for what never comes
    spliced.argv.back() = cat("recorder ", value);
    adapters::run_process(spliced);
    for (const Arguments& call : recorded()) {
      if (std::ranges::count(call, "HIT") > 0) ++hits;
    }
  }
  EXPECT_GE(hits, 20u);
}

// Enforces: G14
TEST_P(shell_injection, the_system_calls_are_the_recorded_ones) {
  const std::string value = cat("'\"; ", recorder_, " HIT; $(", recorder_, " HIT)");
  for (const Place& place : places()) {
    ports::Process traced = process(place, value);
    const std::string log = cat(folder_, "/trace");
    traced.argv.insert(traced.argv.begin(), {"/usr/bin/strace", "-f", "-qq", "-s", "10", "-e",
                                             "trace=execve", "-o", log});
    ASSERT_EQ(adapters::run_process(traced).end, ports::ProcessEnd::exited);
    std::size_t executed = 0;
    std::ifstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      // One that another process interrupted ends as "<... execve resumed>) = 0".
      if (line.contains("execve") && line.ends_with("= 0")) ++executed;
    }
    ASSERT_EQ(recorded(), expected(place, value)) << place.command;
    // The shell itself, and one for each record.
    EXPECT_EQ(executed, 1 + expected(place, value).size()) << place.command;
  }
}

INSTANTIATE_TEST_SUITE_P(, shell_injection, ::testing::Values("sh", "bash"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace baton::security
