#include <algorithm>

#include "base/core/result.h"
#include "base/text/text.h"
#include "cli/commands/error_pages.h"
#include "cli/verb.h"
#include "run/log/signals.h"

namespace baton::cli {
namespace {

/// Codes are in capitals; the user may type them in lower case.
std::string in_capitals(std::string_view word) {
  std::string out(word);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string in_small_letters(std::string_view word) {
  std::string out(word);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string page_of(std::span<const EmbeddedText> pages, std::string_view code) {
  const auto found = std::ranges::find(pages, cat(code, ".md"), &EmbeddedText::name);
  return found == pages.end() ? std::string() : std::string(found->text);
}

/// The blocker that a word means: its own code, or the reason of a gap.
std::string blocker_named(const std::string& word) {
  const auto reason = run::from_name<run::Reason>(in_small_letters(word));
  return reason ? std::string(name_of(code_of(*reason))) : in_capitals(word);
}

Result<Ending> run_explain(const VerbCall& call) {
  const std::string& word = call.arguments.operand;
  std::string text = page_of(error_pages(), in_capitals(word));
  const std::string blocker = page_of(blocker_pages(), blocker_named(word));
  // A word that is both has two pages.
  if (!text.empty() && !blocker.empty()) text += "\nAs a blocker:\n\n";
  text += blocker;
  if (!text.empty()) {
    TRY(write_text(call.world.output, text));
    return ExitCode::ok;
  }
  std::vector<std::string_view> names;
  for (const CodeInfo& info : all_codes()) names.push_back(info.name);
  for (const std::string_view code : run::names<run::BlockerCode>()) names.push_back(code);
  const auto near = nearest(in_capitals(word), names);
  return fail(Code::NOT_FOUND, cat("there is no code '", word, "'"),
              near ? cat("did you mean '", *near, "'?") : "'baton errors' lists them all");
}

}  // namespace

constinit const Verb explain_verb = {
    .name = "explain",
    .summary = "Show the page of an error code or a blocker",
    .help = R"(Prints what happened, what to do next and whether a retry helps: for an error,
for a blocker that keeps a step from passing, or for the reason of a gap.
)",
    .options = {},
    .operand = {"CODE", "An error code, a blocker's code or the reason of a gap", true},
    .settings = {},
    .run = run_explain};

}  // namespace baton::cli
