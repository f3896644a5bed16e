#include "plan_project.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "adapters/process/run_process.h"
#include "adapters/vcs/project_plan.h"
#include "base/testing/project_file.h"

namespace baton::contract {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::string jj_program() {
  const char* given = std::getenv("BATON_TEST_JJ");
  return given != nullptr ? given : project_file("tests/contract/support/fake_jj");
}

}  // namespace

PlanProject::PlanProject(Kind kind, std::string_view name) : kind_(kind) {
  std::string pattern = (fs::temp_directory_path() / "baton-plan-XXXXXX").string();
  ASSERT(mkdtemp(pattern.data()) != nullptr);
  scratch_ = fs::canonical(pattern);
  folder_ = scratch_ / name;
  fs::create_directories(folder_);
  fs::create_directories(scratch_ / "home");
  environment_ = {{"HOME", (scratch_ / "home").string()},
                  {"PATH", (scratch_ / "bin").string()},
                  {"LANG", "de_DE.UTF-8"},
                  {"LANGUAGE", "de"},
                  {"GIT_CONFIG_NOSYSTEM", "1"},
                  {"GIT_AUTHOR_NAME", "Tester"},
                  {"GIT_AUTHOR_EMAIL", "tester@example.org"},
                  {"GIT_COMMITTER_NAME", "Tester"},
                  {"GIT_COMMITTER_EMAIL", "tester@example.org"},
                  {"JJ_USER", "Tester"},
                  {"JJ_EMAIL", "tester@example.org"}};
  // What programs find by name; taking a link away makes a program missing.
  fs::create_directories(scratch_ / "bin");
  const adapters::Environment usual = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  for (const char* tool : {"git", "sh", "env", "python3"}) {
    link_tool(tool, adapters::find_program(tool, usual));
  }
  link_tool("jj", jj_program());
  const bool has_git = kind == Kind::git || kind == Kind::colocated;
  if (has_git) run({"git", "init", "--quiet", "--initial-branch=main"});
  if (kind == Kind::jj) run({"jj", "git", "init"});
  if (kind == Kind::colocated) run({"jj", "git", "init", "--colocate"});
}

PlanProject::~PlanProject() {
  std::error_code ignored;
  fs::remove_all(scratch_, ignored);
}

void PlanProject::link_tool(const std::string& name, const std::string& target) {
  fs::create_symlink(target, scratch_ / "bin" / name);
}

std::unique_ptr<ports::VersionControl> PlanProject::open(const fs::path& below) const {
  return std::make_unique<adapters::ProjectPlan>(folder_ / below, environment_);
}

std::unique_ptr<ports::SharedPlan> PlanProject::open_shared() const {
  return std::make_unique<adapters::ProjectPlan>(folder_, environment_);
}

void PlanProject::edit_by_hand(const std::string& text) {
  switch (kind_) {
    case Kind::git: run({"git", "config", "branch.main.description", text}); return;
    case Kind::jj:
    case Kind::colocated: run({"jj", "describe", "-m", text}); return;
    case Kind::file: write(".baton/plan.md", text); return;
  }
}

void PlanProject::write(const std::string& path, const std::string& text) {
  fs::create_directories((folder_ / path).parent_path());
  std::ofstream(folder_ / path, std::ios::binary) << text;
}

std::string PlanProject::run(std::vector<std::string> words, const std::string& input) const {
  const adapters::VcsCommand command{
      .words = std::move(words), .directory = folder_, .environment = environment_, .input = input};
  const adapters::CommandResult result = MUST(adapters::run_command(command));
  if (result.exit != 0) MUST(Result<void>(adapters::nonzero_exit(command, result)));
  return result.output;
}

std::vector<std::pair<std::string, std::string>> PlanProject::files() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (auto each = fs::recursive_directory_iterator(folder_);
       each != fs::recursive_directory_iterator(); ++each) {
    const std::string name = each->path().filename();
    if (name == ".git" || name == ".jj" || name == ".baton") {
      each.disable_recursion_pending();
    } else if (each->is_regular_file()) {
      out.emplace_back(each->path().string(), content_of(each->path()));
    }
  }
  std::ranges::sort(out);
  return out;
}

void set_text(ports::VersionControl& plan, std::string_view text) {
  const ports::Description before = MUST(plan.read());
  ASSERT(MUST(plan.replace(before, text)) == ports::Replaced::yes);
}

}  // namespace baton::contract
