#include "base/core/result.h"
#include "base/text/text.h"
#include "cli/verb.h"
#include "run/log/signals.h"

namespace baton::cli {
namespace {

Result<Ending> run_errors(const VerbCall& call) {
  std::string all;
  for (const CodeInfo& info : all_codes()) {
    all += cat(info.name, "\n  ", info.meaning, "\n  ", name_of(info.retry), '\n');
  }
  all += "\nBlockers, which keep a step from passing:\n";
  for (const std::string_view code : run::names<run::BlockerCode>()) all += cat(code, '\n');
  TRY(write_text(call.world.output, all));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb errors_verb = {
    .name = "errors",
    .summary = "List the error codes and the blockers",
    .help = R"(Prints what each code means and whether a retry can help: not_retryable,
retry_with_changes or retry_after; then the codes of blockers. 'baton explain
CODE' shows the page of one.
)",
    .options = {},
    .operand = {},
    .settings = {},
    .run = run_errors};

}  // namespace baton::cli
