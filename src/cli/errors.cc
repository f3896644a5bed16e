#include "base/error.h"
#include "base/text.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

Result<Ending> run(const Call& call) {
  std::string all;
  for (const CodeInfo& info : all_codes()) {
    all += cat(info.name, "\n  ", info.meaning, "\n  ", name_of(info.retry), '\n');
  }
  TRY(write_text(call.world.output, all));
  return Exit::ok;
}

}  // namespace

constinit const Verb errors_verb = {
    .name = "errors",
    .summary = "List the error codes",
    .help = R"(Prints what each code means and whether trying again can help: not_retryable,
retry_with_changes or retry_after. 'baton explain CODE' shows the page of one.
)",
    .options = {},
    .operand = {},
    .settings = {},
    .run = run};

}  // namespace baton::cli
