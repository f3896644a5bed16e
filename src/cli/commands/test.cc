#include <algorithm>
#include <set>

#include "base/json/json.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/commands/test_from.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "verbs/workflow/play_scenario.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view forms[] = {"text", "tap", "junit"};  // by TestForm
constexpr Option test_options[] = {
    {"--format", "FORM", "How to print it, as text when left out", false, forms},
    {"--from", "RUN", "Write a recorded run as a scenario, in place of testing"}};
constexpr std::string_view test_settings[] = {"db", "workflows", "content_dir"};

enum class TestForm : std::uint8_t { text, tap, junit };

/// What came of playing a scenario.
struct TestOutcome {
  std::string file;  // relative to the current folder
  std::string name;
  std::string place;    // file:line of what is wrong; empty when it passed
  std::string problem;  // in lines; empty when it passed
};

std::string indented(std::string_view text, std::string_view by) {
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += cat(end == at ? "" : by, text.substr(at, end - at), '\n');
    at = end + 1;
  }
  return out;
}

std::size_t failures(const std::vector<TestOutcome>& outcomes) {
  return static_cast<std::size_t>(std::ranges::count_if(
      outcomes, [](const TestOutcome& each) { return !each.problem.empty(); }));
}

std::string as_text(const std::vector<TestOutcome>& outcomes) {
  std::string out;
  for (const TestOutcome& each : outcomes) {
    out += cat(each.problem.empty() ? "ok    " : "FAIL  ", printable_line(each.file), ": ",
               printable_line(each.name), '\n');
    if (!each.problem.empty()) out += indented(cat(each.place, ": ", each.problem), "      ");
  }
  return out + cat(outcomes.size(), outcomes.size() == 1 ? " scenario, " : " scenarios, ",
                   failures(outcomes), " failed\n");
}

std::string as_tap(const std::vector<TestOutcome>& outcomes) {
  std::string out = cat("TAP version 14\n1..", outcomes.size(), '\n');
  std::size_t number = 0;
  for (const TestOutcome& each : outcomes) {
    std::string title;
    for (const char c : printable_line(cat(each.file, ": ", each.name))) {
      // A number sign would begin a directive.
      if (c == '#' || c == '\\') title += '\\';
      title += c;
    }
    out += cat(each.problem.empty() ? "ok " : "not ok ", ++number, " - ", title, '\n');
    if (each.problem.empty()) continue;
    out += cat("  ---\n  at: ", json::print(json::Value(each.place)), "\n  message: |\n",
               indented(each.problem, "    "), "  ...\n");
  }
  return out;
}

/// XML 1.0 has no place for most control characters, not even escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += "&#9;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += '?';
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string as_junit(const std::vector<TestOutcome>& outcomes) {
  std::string out = cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"baton\" ",
                        "tests=\"", outcomes.size(), "\" failures=\"", failures(outcomes), "\">\n");
  for (auto first = outcomes.begin(); first != outcomes.end();) {
    const auto last = std::find_if(
        first, outcomes.end(), [&](const TestOutcome& each) { return each.file != first->file; });
    const std::vector<TestOutcome> suite(first, last);
    out += cat("  <testsuite name=\"", escaped(first->file), "\" tests=\"", suite.size(),
               "\" failures=\"", failures(suite), "\">\n");
    for (const TestOutcome& each : suite) {
      out += cat("    <testcase classname=\"", escaped(each.file), "\" name=\"", escaped(each.name),
                 '"');
      if (each.problem.empty()) {
        out += "/>\n";
      } else {
        out += cat("><failure message=\"", escaped(each.problem.substr(0, each.problem.find('\n'))),
                   "\">", escaped(cat(each.place, ": ", each.problem)), "</failure></testcase>\n");
      }
    }
    out += "  </testsuite>\n";
    first = last;
  }
  return out + "</testsuites>\n";
}

std::optional<TestForm> test_form(std::string_view name) {
  const auto found = std::ranges::find(forms, name);
  if (found == std::end(forms)) return std::nullopt;
  return static_cast<TestForm>(found - std::begin(forms));
}

std::string print(const std::vector<TestOutcome>& outcomes, TestForm form) {
  switch (form) {
    case TestForm::text: return as_text(outcomes);
    case TestForm::tap: return as_tap(outcomes);
    case TestForm::junit: return as_junit(outcomes);
  }
  return {};
}

/// The scenario files that an operand stands for: itself, or those below a folder, in order.
Result<std::vector<fs::path>> files_of(const VerbCall& call, const std::string& operand) {
  const fs::path path = (call.world.directory / operand).lexically_normal();
  std::error_code problem;
  if (!fs::is_directory(path, problem)) {
    // For a path that cannot be examined, the reader reports why.
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

std::string shown_path(const VerbCall& call, const fs::path& path) {
  const std::string prefix = call.world.directory.string() + "/";
  const std::string text = path.string();
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// Plays every scenario of a file; a file that cannot be read is a failure of its own.
Result<void> play_file(const VerbCall& call, engine::Engine& engine, const fs::path& path,
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

Result<Ending> run_test(const VerbCall& call) {
  if (const auto run = option_of(call.arguments, "--from")) return write_scenario_of(call, *run);
  const TestForm form = TRY(form_of(call.arguments));
  if (call.arguments.operands.empty()) {
    return fail(Code::USAGE, "DIR is missing", "a folder or a scenario file");
  }
  const Config config = TRY(load_config(call.world, call.arguments));
  std::vector<TestOutcome> outcomes;
  for (const std::string& operand : call.arguments.operands) {
    const std::vector<fs::path> files = TRY(files_of(call, operand));
    const fs::path path = (call.world.directory / operand).lexically_normal();
    std::error_code ignored;
    const fs::path folder = fs::is_directory(path, ignored) ? path : path.parent_path();
    // A store of its own in memory: no run of the user's is touched.
    const auto backend = call.parts.open_scratch(config, folder);
    engine::Engine& engine = *TRY(backend->engine());
    for (const fs::path& file : files) TRY(play_file(call, engine, file, outcomes));
  }
  TRY(write_text(call.world.output, print(outcomes, form)));
  const bool failed =
      std::ranges::any_of(outcomes, [](const TestOutcome& each) { return !each.problem.empty(); });
  return failed ? ExitCode::no : ExitCode::ok;
}

}  // namespace

constinit const Verb test_verb = {
    .name = "test",
    .summary = "Run the scenario tests of workflows",
    .help = R"(Runs each scenario of the files NAME.test.yaml in a folder, or of one file: a
run that the answers in the file drive, without any model. It is compared
with the steps, state and end that the file expects. The workflow is searched
in the folder first, then in the usual places. Runs are kept in
memory for as long as the test takes. Exit code 1 when a scenario fails.

With --from, prints the scenario that a recorded run went by, to be kept as
NAME.test.yaml: it passes as it is written, and fails when the workflow takes
the same answers in another way. What a scenario cannot hold is said.
)",
    .options = test_options,
    .operand = {"DIR", "A folder or a scenario file; several may be given", false, true},
    .settings = test_settings,
    .run = run_test};

}  // namespace baton::cli
