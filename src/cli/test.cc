#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/config_load.h"
#include "cli/parts.h"
#include "cli/test_report.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "verbs/play_scenario.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view forms[] = {"text", "tap", "junit"};
constexpr Option options[] = {
    {"--format", "FORM", "How to print it, as text when left out", false, forms}};
constexpr std::string_view used_settings[] = {"workflows", "content_dir"};

/// The scenario files that an operand stands for: itself, or those below a folder, in order.
Result<std::vector<fs::path>> files_of(const Call& call, const std::string& operand) {
  const fs::path path = (call.world.directory / operand).lexically_normal();
  std::error_code problem;
  if (!fs::is_directory(path, problem)) {
    // Of what cannot even be looked at, whoever reads it says why.
    if (!fs::exists(path, problem) && !problem) {
      return fail(Code::NOT_FOUND, cat("there is no folder or file '", operand, "'"));
    }
    return std::vector{path};
  }
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(path, problem)) {
    const bool is_ours = workflow::is_scenario_file(entry.path().filename().string());
    if (is_ours && entry.is_regular_file(problem) && !entry.is_symlink(problem)) {
      out.push_back(entry.path());
    }
  }
  std::ranges::sort(out);
  if (out.empty()) {
    return fail(Code::NOT_FOUND, cat("there is no scenario file in '", operand, "'"),
                "scenario files are called NAME.test.yaml; docs/testing-workflows.md has the form");
  }
  return out;
}

std::string shown_path(const Call& call, const fs::path& path) {
  const std::string prefix = call.world.directory.string() + "/";
  const std::string text = path.string();
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// Plays every scenario of a file; a file that cannot be read is a failure of its own.
Result<void> play_file(const Call& call, verbs::Engine& engine, const fs::path& path,
                       std::vector<TestOutcome>& outcomes) {
  const std::string name = shown_path(call, path);
  workflow::Findings findings;
  std::string text = TRY(workflow_text(path));
  const auto file = workflow::read_scenarios({name, std::move(text)}, findings);
  if (!file) {
    std::string problem = "the file has mistakes";
    for (const workflow::Diagnostic& each : findings.diagnostics) {
      problem += cat('\n', workflow::text_of(each, findings.sources));
    }
    while (problem.ends_with('\n')) problem.pop_back();
    outcomes.push_back({name, "is a scenario file", name, std::move(problem)});
    return {};
  }
  for (const workflow::Scenario& scenario : file->scenarios) {
    verbs::PlayedScenario played = TRY(verbs::play_scenario(engine, file->workflow, scenario));
    outcomes.push_back({name, scenario.name, played.passed() ? "" : cat(name, ':', played.at.line),
                        std::move(played.problem)});
  }
  return {};
}

Result<TestForm> form_of(const Arguments& arguments) {
  const auto found = arguments.options.find("--format");
  if (found == arguments.options.end()) return TestForm::text;
  const auto form = test_form(found->second.back());
  if (!form) {
    return fail(Code::USAGE, cat("there is no format '", found->second.back(), "'"),
                "use text, tap or junit");
  }
  return *form;
}

Result<Ending> run(const Call& call) {
  const TestForm form = TRY(form_of(call.arguments));
  const Config config = TRY(load_config(call.world, call.arguments));
  std::vector<TestOutcome> outcomes;
  for (const std::string& operand : call.arguments.operands) {
    const std::vector<fs::path> files = TRY(files_of(call, operand));
    const fs::path path = (call.world.directory / operand).lexically_normal();
    std::error_code ignored;
    const fs::path folder = fs::is_directory(path, ignored) ? path : path.parent_path();
    // A store of its own in memory: no run of the user's is touched.
    const auto backend = call.parts.open_scratch(config, folder);
    verbs::Engine& engine = *TRY(backend->engine());
    for (const fs::path& file : files) TRY(play_file(call, engine, file, outcomes));
  }
  TRY(write_text(call.world.output, print(outcomes, form)));
  const bool failed =
      std::ranges::any_of(outcomes, [](const TestOutcome& each) { return !each.problem.empty(); });
  return failed ? Exit::no : Exit::ok;
}

}  // namespace

constinit const Verb test_verb = {
    .name = "test",
    .summary = "Play the scenarios written down for workflows",
    .help = R"(Plays each scenario of the files NAME.test.yaml in a folder, or of one file: a
run that is driven by the answers in the file, without any model, and compared
with the steps, the state and the end that it says. The workflow is looked for
in the folder first, then where workflows are always found. Runs are kept in
memory for as long as the test takes. Exit code 1 when a scenario fails.
)",
    .options = options,
    .operand = {"DIR", "A folder or a scenario file; several may be given", true, true},
    .settings = used_settings,
    .run = run};

}  // namespace baton::cli
