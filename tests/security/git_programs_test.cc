// Repositories whose settings, attributes, hooks and missing objects name programs, in every place
// that git reads them from; and everything in Baton that has to do with git. No program runs. Each
// of them does run when git is used plainly, or the proof is void.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "adapters/evidence/workspace_evidence.h"
#include "adapters/vcs/git_command.h"
#include "adapters/vcs/project_plan.h"
#include "adapters/vcs/repositories.h"
#include "base/text/text.h"
#include "git_programs.h"
#include "support/server.h"

namespace baton::security {
namespace {

namespace fs = std::filesystem;
using adapters::Environment;
using adapters::Git;
using adapters::VcsCommand;
using json::Array;
using json::Object;
using run::Probe;
using run::ProbeResult;

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
  return text;
}

constexpr std::string_view make_repository = R"(
git init -q -b main
for name in clean process smudge textconv command merge plain; do echo $name > f.$name; done
cat > .gitattributes <<END
*.clean filter=clean
*.process filter=process
*.smudge filter=smudge
*.textconv diff=textconv
*.command diff=command
*.merge merge=driver
END
git add . && git commit -q -m first
git checkout -q -b side && echo side > f.merge && git commit -q -a -m side
git checkout -q main && echo main > f.merge && git commit -q -a -m main
begin='gpgsig -----BEGIN PGP SIGNATURE-----' end='-----END PGP SIGNATURE-----'
git cat-file commit HEAD | sed "/^committer/a $begin\\n \\n x\\n $end" > .git/signed
git update-ref refs/heads/signed $(git hash-object -w -t commit .git/signed)
)";

class git_programs_run : public ::testing::Test {
 protected:
  git_programs_run() {
    write(scratch_.path() / "canary",
          cat("#!/bin/sh\nprintf '%s\\n' \"${0##*/}\" >> '", mark().string(), "'\nexit 1\n"));
    ::chmod((scratch_.path() / "canary").c_str(), 0755);
    for (const GitProgram& each : git_programs()) canary(each.name);
    fs::create_directories(pattern());
    shell(pattern(), make_repository);
  }

  fs::path mark() const { return scratch_.path() / "ran"; }
  fs::path canaries() const { return scratch_.path() / "canaries"; }
  fs::path pattern() const { return scratch_.path() / "pattern"; }
  fs::path work() const { return scratch_.path() / "work"; }

  std::string canary(std::string_view name) {
    fs::create_directories(canaries());
    const fs::path path = canaries() / name;
    if (!fs::is_symlink(path)) fs::create_symlink("../canary", path);
    return path.string();
  }

  /// The names of the programs that ran since this was asked before.
  std::string ran() {
    std::ostringstream out;
    out << std::ifstream(mark()).rdbuf();
    fs::remove(mark());
    return out.str();
  }

  Environment environment() const {
    return {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
            {"HOME", scratch_.path().string()},
            {"GIT_CONFIG_NOSYSTEM", "1"},
            {"TERM", "xterm"}};
  }
  Environment plain_environment() const {
    Environment out = environment();
    for (const char* who : {"AUTHOR", "COMMITTER"}) {
      out[cat("GIT_", who, "_NAME")] = "A";
      out[cat("GIT_", who, "_EMAIL")] = "a@example.org";
    }
    out["GIT_TERMINAL_PROMPT"] = "0";
    return out;
  }

  void shell(const fs::path& folder, std::string_view script, std::optional<Environment> in = {}) {
    // One that waits for a terminal is ended after a while; whether its program ran is what counts.
    static_cast<void>(
        adapters::run_command({.words = {"sh", "-c", std::string(script)},
                               .directory = folder,
                               .environment = in ? *std::move(in) : plain_environment(),
                               .may_cut = true}));
  }

  /// A fresh copy of the repository, whose files git has to look into to know whether they changed.
  void renew() {
    fs::remove_all(work());
    fs::copy(pattern(), work(), fs::copy_options::recursive);
    stir(work());
  }
  static void stir(const fs::path& folder) {
    static int round = 0;
    const auto when = fs::file_time_type::clock::now() - std::chrono::hours(1000 + ++round);
    for (const auto& each : fs::directory_iterator(folder)) {
      if (each.is_regular_file()) fs::last_write_time(each.path(), when);
    }
  }

  void set(const fs::path& config, std::string_view name,
           const std::vector<std::string_view>& settings) {
    for (std::size_t i = 0; i + 1 < settings.size(); i += 2) {
      const auto filled = [&](std::string_view text) {
        return replaced(replaced(std::string(text), "@", canary(name)), "%", canaries().string());
      };
      const auto done =
          adapters::run_command({.words = {"git", "config", "--file", config.string(), "--add",
                                           filled(settings[i]), filled(settings[i + 1])},
                                 .directory = scratch_.path(),
                                 .environment = plain_environment()});
      EXPECT_TRUE(done && done->exit == 0) << settings[i] << (done ? done->errors : "");
    }
  }

  /// All programs at once, into one file of settings.
  void set_all(const fs::path& config, bool is_included = false) {
    for (const GitProgram& each : git_programs()) {
      if (!is_included || each.can_be_included) set(config, each.name, each.settings);
    }
    set(config, "other", other_program_settings());
  }

  /// Everything that Baton asks git, as its rooms do.
  void ask_everything(const fs::path& folder) {
    stir(folder);
    adapters::ProjectPlan plan(folder, environment());
    if (const auto seen = plan.read()) {
      static_cast<void>(plan.replace(*seen, cat(seen->text, "feat: x\n")));
    }
    static_cast<void>(plan.changed_files());
    static_cast<void>(adapters::GitRepositories(environment()).look(folder.string()));
    adapters::WorkspaceEvidence evidence(environment());
    std::vector<Probe> looks = {{Probe::Kind::workspace, "", {}, false},
                                {Probe::Kind::repository, "", {}, false},
                                {Probe::Kind::commit, "", {}, false},
                                {Probe::Kind::commit, "", {}, false},
                                {Probe::Kind::commit, std::string(40, '1'), {}, false},
                                {Probe::Kind::file, "f.plain", {}, false}};
    looks[3].known.emplace();
    const auto seen = evidence.look(folder.string(), looks, ports::Commands::refused);
    EXPECT_EQ(seen.size(), looks.size());
  }

  crash::Scratch scratch_;
};

// Enforces: G16
TEST_F(git_programs_run, plainly_and_in_the_environment_of_baton_they_do_not) {
  for (const GitProgram& each : git_programs()) {
    for (const bool is_included : {false, true}) {
      if (is_included && !each.can_be_included) continue;
      const auto plant = [&] {
        renew();
        const fs::path config = work() / ".git/config";
        set(is_included ? work() / ".git/more" : config, each.name, each.settings);
        if (is_included) set(config, each.name, {"include.path", "more"});
      };
      const auto has_run = [&] { return cat('\n', ran()).contains(cat('\n', each.name, '\n')); };
      plant();
      shell(work(), each.control);
      EXPECT_TRUE(has_run()) << each.name << " does not run, so that nothing is proved";
      plant();
      const auto git = Git::open({.directory = work()}, plain_environment());
      ASSERT_TRUE(git) << each.name << ": " << git.error().message;
      Environment safe = git->command({}).environment;
      safe["GIT_AUTHOR_NAME"] = safe["GIT_COMMITTER_NAME"] = "A";
      safe["GIT_AUTHOR_EMAIL"] = safe["GIT_COMMITTER_EMAIL"] = "a@example.org";
      shell(work(), each.control, safe);
      EXPECT_EQ(ran(), "") << each.name;
      plant();
      ask_everything(work());
      EXPECT_EQ(ran(), "") << each.name;
    }
  }
}

// Enforces: G16
TEST_F(git_programs_run, not_by_the_variables_that_baton_was_started_with) {
  renew();
  const auto with = [&](const std::map<std::string, std::string>& variables) {
    Environment out = plain_environment();
    for (const auto& [name, value] : variables) out[name] = value;
    return out;
  };
  const std::string program = canary("variable");
  const std::string quoted = cat("'core.fsmonitor=", program, "'");
  for (const auto& variables : std::vector<std::map<std::string, std::string>>{
           {{"GIT_CONFIG_COUNT", "1"},
            {"GIT_CONFIG_KEY_0", "core.fsmonitor"},
            {"GIT_CONFIG_VALUE_0", program}},
           {{"GIT_CONFIG_PARAMETERS", quoted}},
           {{"GIT_DIR", (scratch_.path() / "planted").string()}, {"GIT_WORK_TREE", "."}},
           {{"GIT_CONFIG_GLOBAL", (scratch_.path() / "planted/config").string()}},
           {{"GIT_EXTERNAL_DIFF", program}}}) {
    fs::remove_all(scratch_.path() / "planted");
    fs::copy(pattern() / ".git", scratch_.path() / "planted", fs::copy_options::recursive);
    set(scratch_.path() / "planted/config", "variable", {"core.fsmonitor", "@"});
    write(work() / "f.plain", "changed\n");
    stir(work());
    const Environment inherited = with(variables);
    shell(work(), "git status; git diff", inherited);
    EXPECT_NE(ran(), "") << variables.begin()->first;
    stir(work());
    const auto git = Git::open({.directory = work()}, inherited);
    ASSERT_TRUE(git) << git.error().message;
    for (const char* verb : {"status", "diff"}) ASSERT_TRUE(git->run({verb})) << verb;
    adapters::ProjectPlan plan(work(), inherited);
    ASSERT_TRUE(plan.changed_files());
    EXPECT_EQ(ran(), "") << variables.begin()->first;
  }
}

// Enforces: G16
TEST_F(git_programs_run, not_by_a_folder_of_path_that_is_in_the_project) {
  renew();
  const std::string program = cat("#!/bin/sh\n", canary("git"), "\nexec /usr/bin/git \"$@\"\n");
  for (const char* folder : {"bin", "deep/below"}) {
    for (const char* name : {"git", "jj"}) {
      write(work() / folder / name, program);
      ::chmod((work() / folder / name).c_str(), 0755);
    }
  }
  fs::create_symlink(work() / "bin", scratch_.path() / "linked");
  const std::string usual = environment().at("PATH");
  for (const std::string& first :
       {(work() / "bin").string(), cat((work() / "deep/..").string(), "/bin"),
        (scratch_.path() / "linked").string(), std::string("bin"), std::string()}) {
    Environment with = environment();
    with["PATH"] = cat(first, ':', usual);
    for (const fs::path& from : {work(), work() / "deep"}) {
      adapters::ProjectPlan plan(from, with);
      EXPECT_TRUE(plan.changed_files()) << first;
      fs::create_directories(work() / ".jj");
      static_cast<void>(plan.changed_files());  // an error where the machine has no jj of its own
      fs::remove_all(work() / ".jj");
      EXPECT_EQ(adapters::GitRepositories(with).look(from.string()).root, work()) << first;
      adapters::WorkspaceEvidence evidence(with);
      const std::vector<Probe> looks = {{Probe::Kind::commit, "", {}, false}};
      EXPECT_EQ(evidence.look(from.string(), looks, ports::Commands::refused).front().kind,
                ProbeResult::Kind::commit);
      EXPECT_EQ(ran(), "") << first << " from " << from;
    }
  }
}

/// The last words of settings that name a program, as far as git has them today.
constexpr std::string_view program_words[] = {
    "askpass", "browser",    "clean",     "cmd",         "command", "diffFilter", "driver",
    "editor",  "external",   "fsmonitor", "helper",      "hook",    "httpd",      "pager",
    "process", "program",    "proxy",     "receivepack", "smudge",  "textconv",   "tool",
    "tunnel",  "uploadpack", "vcs",       "viewer"};
/// Those that sound so and start nothing in git.
constexpr std::string_view not_programs[] = {"diff.x.cachetextconv", "gitcvs.dbdriver",
                                             "http.proxy", "remote.x.proxy"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

bool sounds_like_a_program(std::string_view key) {
  if (key.starts_with("advice.") || is_one_of(not_programs, key)) return false;
  return key.starts_with("alias.") || key.starts_with("pager.") ||
         std::ranges::any_of(program_words,
                             [&](auto word) { return key.ends_with(ascii_lower(word)); });
}

/// A key as documented, with a name in every gap: "filter.<driver>.clean", "alias.*".
std::string named(std::string_view documented) {
  std::string key;
  bool is_gap = false;
  for (const char c : documented) {
    if (c == '<' || c == '*') key += 'x';
    is_gap = (is_gap || c == '<') && c != '>';
    if (!is_gap && c != '>' && c != '*') key += c;
  }
  return ascii_lower(key);
}

// Enforces: G16
TEST_F(git_programs_run, not_by_any_setting_that_gits_own_documentation_has) {
  renew();
  const auto documented = adapters::run_command(
      {.words = {"git", "help", "-c"}, .directory = work(), .environment = plain_environment()});
  ASSERT_TRUE(documented);
  std::set<std::string> wanted;
  std::istringstream lines(documented->output);
  for (std::string line; std::getline(lines, line);) {
    const std::string key = named(line);
    if (!key.contains('.') || key.contains(' ') || !sounds_like_a_program(key)) continue;
    wanted.insert(key);
    set(work() / ".git/config", "documented", {key, "@"});
  }
  ASSERT_GT(wanted.size(), 40u) << documented->output;
  const Git git = MUST(Git::open({.directory = work()}, environment()));
  std::set<std::string> switched_off;
  for (const auto& [name, value] : git.command({}).environment) {
    if (name.starts_with("GIT_CONFIG_KEY_")) switched_off.insert(value);
  }
  for (const std::string& key : wanted) EXPECT_TRUE(switched_off.contains(key)) << key;
}

// Enforces: G9, G16
TEST_F(git_programs_run, not_at_all_past_so_many_and_git_neither) {
  renew();
  std::string settings = "[filter]\n";
  for (std::size_t i = 1; i <= limits::git_blanked_settings_max; ++i) {
    settings += cat("[filter \"f", i, "\"]\n\tclean = x\n");
  }
  std::ofstream(work() / ".git/config", std::ios::app) << settings;
  const auto last = Git::open({.directory = work()}, environment());
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_TRUE(last->run({"status"}));
  std::ofstream(work() / ".git/config", std::ios::app) << "[filter \"more\"]\n\tclean = x\n";
  const auto refused = Git::open({.directory = work()}, environment());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::COMMAND_FAILED);
  EXPECT_TRUE(refused.error().message.contains("more than")) << refused.error().message;
}

/// A place that git reads settings from: the folder that Baton works in, and what a plain git runs
/// there.
struct Layout {
  std::string_view name;
  std::string_view make;    // by a shell in work(), where the repository is
  std::string_view folder;  // of the project, below work()
  std::string_view config;  // the file for the settings, below work()
  bool is_included;
  std::string_view control;
  bool has_commits;  // that Baton can see
};

constexpr std::string_view git_status = "git status";

const Layout layouts[] = {
    {"normal", "", ".", ".git/config", false, git_status, true},
    {"included",
     "git config include.path ../more; printf '[include]\\n\\tpath = most\\n' > more; "
     "git config includeIf.gitdir:**.path ../maybe; printf '[include]\\n\\tpath = most\\n' > maybe",
     ".", "most", true, git_status, true},
    {"work_tree", "git worktree add -q -f linked side; git config extensions.worktreeConfig true",
     "linked", ".git/worktrees/linked/config.worktree", true, git_status, true},
    {"submodule", "git -c protocol.file.allow=always submodule add -q ./. sub", "sub",
     ".git/modules/sub/config", false, git_status, true},
    {"above_a_submodule",
     "git -c protocol.file.allow=always submodule add -q ./. sub; "
     "git config -f .gitmodules submodule.sub.ignore none; git config submodule.sub.ignore none",
     ".", ".git/modules/sub/config", false, git_status, true},
    {"hooks", "rm -rf .git/hooks; cp -rL ../canaries .git/hooks", ".", "unused", false,
     "git update-ref refs/heads/z HEAD", true},
    {"files_like_a_repository",
     "git init -q --bare plain; echo 0123456789012345678901234567890123456789 > "
     "plain/refs/heads/main;"
     "echo 'ref: refs/heads/main' > plain/HEAD",
     "plain", "plain/config", false, "git rev-parse --verify --quiet 'HEAD^{commit}'", false},
    {"files_like_a_repository_with_a_work_tree",
     "mkdir plain; cp -r .git/HEAD .git/objects .git/refs .git/index plain; cp f.* .gitattributes "
     "plain; printf '[core]\\n\\tbare = false\\n\\tworktree = .\\n' > plain/config",
     "plain", "plain/config", false, git_status, false},
    {"a_missing_commit", "echo 0123456789012345678901234567890123456789 > .git/refs/heads/main",
     ".", ".git/config", false, "git rev-parse --verify --quiet 'HEAD^{commit}'", false},
};

class in_every_layout : public git_programs_run, public ::testing::WithParamInterface<Layout> {
 protected:
  fs::path folder() const { return (work() / GetParam().folder).lexically_normal(); }

  void plant() {
    renew();
    shell(work(), GetParam().make);
    set_all(work() / GetParam().config, GetParam().is_included);
    stir(folder());
  }

  /// A real commit, made without running the programs.
  void commit() {
    write(folder() / "new.txt", "work");
    const Git git = MUST(Git::open({.directory = folder()}, environment()));
    ASSERT_TRUE(git.run({"add", "new.txt"}));
    ASSERT_TRUE(git.run(
        {"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "work"}));
  }

  std::unique_ptr<crash::Server> serve(std::string_view surface) {
    crash::Command command;
    command.words = {"sh",
                     "-c",
                     "cd \"$0\" && exec \"$@\"",
                     folder().string(),
                     std::getenv("BATON_BINARY"),
                     "serve",
                     "--surface",
                     std::string(surface),
                     "--allow-shell",
                     "--db",
                     (scratch_.path() / "runs.db").string(),
                     "--workflows",
                     (scratch_.path() / "flows").string()};
    command.environment = {cat("HOME=", scratch_.path().string()), "GIT_CONFIG_NOSYSTEM=1"};
    command.errors = scratch_.path() / "stderr";
    return std::make_unique<crash::Server>(MUST(crash::Child::start(command)));
  }

  crash::Answer call(crash::Server& server, std::string tool, Object arguments) {
    stir(folder());
    crash::Answer answer = MUST(server.call({tool, std::move(arguments)}));
    EXPECT_EQ(ran(), "") << tool;
    return answer;
  }

  void baton(std::vector<std::string> words, std::string input = {}) {
    const std::string line = words.front() + ' ' + words.back();
    words.insert(words.begin(), std::getenv("BATON_BINARY"));
    stir(folder());
    const auto done = adapters::run_command({.words = std::move(words),
                                             .directory = folder(),
                                             .environment = environment(),
                                             .input = std::move(input)});
    EXPECT_TRUE(done) << line;
    EXPECT_EQ(ran(), "") << line << done->errors;
  }
};

INSTANTIATE_TEST_SUITE_P(, in_every_layout, ::testing::ValuesIn(layouts),
                         [](const auto& tested) { return std::string(tested.param.name); });

// Enforces: G16
TEST_P(in_every_layout, the_programs_run_plainly_and_not_for_what_baton_asks) {
  plant();
  shell(folder(), GetParam().control);
  ASSERT_NE(ran(), "") << "nothing runs, so that nothing is proved";
  plant();
  ask_everything(folder());
  EXPECT_EQ(ran(), "");
}

constexpr std::string_view flow = R"(
id: prove
steps:
  - id: do
    prompt: Do it.
    evidence: [{git_commit_exists: true}, {file_changed: f.plain}, {file_exists: f.clean},
               {command: {argv: ["true"]}}]
  - {id: after, prompt: Rest.}
)";

// Enforces: G16
TEST_P(in_every_layout, no_tool_of_the_real_server_runs_one) {
  write(scratch_.path() / "flows/prove.yaml", flow);
  plant();
  const auto rail = serve("rail,planner");
  const Object where{{"workspacePath", folder().string()}};
  const Object output{{"output", Object{{"notesMarkdown", "Done."}}}};
  const auto ack = [&](const crash::Answer& answer) {
    Object out = output;
    out.set("ackToken", answer.field("ackToken"));
    return out;
  };
  Object start = where;
  start.set("workflowId", "prove");
  const crash::Answer begun = call(*rail, "start_workflow", start);
  const crash::Answer blocked = call(*rail, "continue_workflow", ack(begun));
  EXPECT_EQ(blocked.field("kind"), "blocked") << blocked.text;
  call(*rail, "resume_session", where);
  if (GetParam().has_commits) commit();
  write(folder() / "f.plain", "changed");
  const crash::Answer again = call(*rail, "continue_workflow", ack(blocked));
  EXPECT_EQ(again.field("kind"), GetParam().has_commits ? "ok" : "blocked") << again.text;
  const auto seen = call(*rail, "gather_requirements", {});
  EXPECT_FALSE(GetParam().has_commits && seen.is_error()) << seen.text;
  call(*rail, "set_overarching_goal", {{"goal", Object{{"type", "feat"}, {"title", "Do it"}}}});
  call(*rail, "set_detailed_goal", {{"description", "For a reason."}});
  call(*rail, "set_plan", {{"plan", Array{Array{false, "One", Array{}}}}});
  call(*rail, "mark_task", {{"task_id", "1"}});
  call(*rail, "finish_job", {});
  EXPECT_TRUE(rail->end());

  const auto atomic = serve("atomic");
  const crash::Answer run = call(*atomic, "workflow_start",
                                 {{"workflow", "prove"}, {"workspace_path", folder().string()}});
  call(*atomic, "workflow_step_complete",
       {{"workflow_id", run.field("workflow_id")}, {"step_id", "do"}});
  EXPECT_TRUE(atomic->end());
  EXPECT_EQ(ran(), "");
}

// Enforces: G16
TEST_P(in_every_layout, no_command_of_the_command_line_runs_one) {
  plant();
  write(folder() / "message", "feat: Do it\n\n- [ ]: One\n");
  const std::string db = (scratch_.path() / "runs.db").string();
  baton({"plan", "show"});
  baton({"plan", "show", "--json"});
  baton({"plan", "validate"}, "feat: Do it\n");
  baton({"plan", "lint-commit", "message"});
  if (GetParam().has_commits) {
    adapters::ProjectPlan plan(folder(), environment());
    ASSERT_TRUE(plan.replace(*plan.read(), "feat: Do it\n\n- [ ]: One\n- [ ]: Two\n"));
  }
  baton({"plan", "mark", "1"});
  baton({"plan", "run", "--db", db});
  baton({"runs", "--db", db});
  baton({"list"});
}

}  // namespace
}  // namespace baton::security
