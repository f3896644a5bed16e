#include "base/error.h"
#include "base/text.h"
#include "cli/error_pages.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

/// Codes are in capitals, however somebody types them.
std::string in_capitals(std::string_view word) {
  std::string out(word);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

Result<Ending> run(const Call& call) {
  const std::string code = in_capitals(call.arguments.operand);
  for (const EmbeddedText& page : error_pages()) {
    if (page.name == cat(code, ".md")) {
      TRY(write_text(call.world.output, page.text));
      return Exit::ok;
    }
  }
  std::vector<std::string_view> names;
  for (const CodeInfo& info : all_codes()) names.push_back(info.name);
  const auto near = nearest(code, names);
  return fail(Code::NOT_FOUND, cat("there is no error code '", call.arguments.operand, "'"),
              near ? cat("did you mean '", *near, "'?") : "'baton errors' lists them all");
}

}  // namespace

constinit const Verb explain_verb = {
    .name = "explain",
    .summary = "Show the page of an error code",
    .help = R"(Prints what happened, what to do next and whether retrying helps.
)",
    .options = {},
    .operand = {"CODE", "An error code, such as WORKFLOW_UNKNOWN_KEY", true},
    .settings = {},
    .run = run};

}  // namespace baton::cli
