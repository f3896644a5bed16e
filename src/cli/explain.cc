#include "base/error.h"
#include "base/text.h"
#include "cli/error_pages.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

Result<Ending> run(const Call& call) {
  for (const EmbeddedText& page : error_pages()) {
    if (page.name == cat(call.arguments.operand, ".md")) {
      TRY(write_text(call.world.output, page.text));
      return Exit::ok;
    }
  }
  std::vector<std::string_view> names;
  for (const CodeInfo& info : all_codes()) names.push_back(info.name);
  const auto near = nearest(call.arguments.operand, names);
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
