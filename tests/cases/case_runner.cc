// case_runner FILE.case...: runs cases; README.md describes their format.
//
// BATON_CASE_MODE  inprocess (default) or binary
// BATON_BINARY     the binary that the binary mode starts
// BATON_FIXTURES   the server of tests/conformance that it starts
// BATON_REBASELINE, or --rebaseline: rewrite the expectations instead of comparing
//
// Exit codes: 0 all passed or were rewritten, 1 some failed, 2 usage, 77 all were skipped.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "base/text/text.h"
#include "case.h"

namespace baton::cases {
namespace {

constexpr int skipped_exit = 77;

std::string_view variable(const char* name, std::string_view otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Settings {
  Mode mode = Mode::inprocess;
  std::string binary;
  std::string fixtures;
  bool rebaseline = false;
};

Verdict run_file(const std::string& path, const Settings& settings) {
  const std::optional<std::string> text = read_file(path);
  if (!text) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return Verdict::failed;
  }
  Scene scene(settings.mode, settings.binary, settings.fixtures);
  const Report report = run_case(path, *text, scene);
  if (settings.rebaseline && !report.broken && report.verdict == Verdict::failed) {
    std::ofstream(path, std::ios::binary) << report.rebaselined;
    std::fprintf(stderr, "%s: rewritten\n", path.c_str());
    return Verdict::passed;
  }
  std::fputs(report.text.c_str(), stderr);
  return report.verdict;
}

int run(std::vector<std::string> files) {
  Settings settings;
  settings.rebaseline = !variable("BATON_REBASELINE", "").empty();
  std::erase_if(files, [&](const std::string& word) {
    if (word != "--rebaseline") return false;
    settings.rebaseline = true;
    return true;
  });
  settings.binary = variable("BATON_BINARY", "/usr/bin/baton");
  settings.fixtures = variable("BATON_FIXTURES", "");
  const std::string_view mode = variable("BATON_CASE_MODE", "inprocess");
  settings.mode = mode == "binary" ? Mode::binary : Mode::inprocess;
  if (files.empty() || (mode != "binary" && mode != "inprocess")) {
    std::fputs("case_runner [--rebaseline] FILE.case...\n", stderr);
    return 2;
  }
  int failed = 0;
  bool all_skipped = true;
  for (const std::string& file : files) {
    const Verdict verdict = run_file(file, settings);
    if (verdict != Verdict::skipped) all_skipped = false;
    if (verdict == Verdict::failed) ++failed;
  }
  if (all_skipped) return skipped_exit;
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace baton::cases

int main(int argc, char** argv) {
  // A server that ended early must fail the case, not the runner.
  std::signal(SIGPIPE, SIG_IGN);
  return baton::cases::run(std::vector<std::string>(argv + 1, argv + argc));
}
