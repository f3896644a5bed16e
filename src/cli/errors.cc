#include "base/error.h"
#include "base/text.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

std::string describe(const CodeInfo& info) {
  return cat(info.name, '\n', "  ", info.meaning, "\n  ", name_of(info.retry), '\n');
}

Result<Ending> run(const Call& call) {
  std::vector<std::string_view> names;
  std::string all;
  for (const CodeInfo& info : all_codes()) {
    if (info.name == call.arguments.operand) {
      TRY(write_text(call.world.output, describe(info)));
      return Exit::ok;
    }
    names.push_back(info.name);
    all += describe(info);
  }
  if (call.arguments.operand.empty()) {
    TRY(write_text(call.world.output, all));
    return Exit::ok;
  }
  const auto near = nearest(call.arguments.operand, names);
  return fail(Code::NOT_FOUND, cat("there is no error code '", call.arguments.operand, "'"),
              near ? cat("did you mean '", *near, "'?") : "'baton errors' lists them all");
}

}  // namespace

constinit const Verb errors_verb = {
    .name = "errors",
    .summary = "Say what an error code means",
    .help = R"(Prints what CODE means and whether trying again can help: not_retryable,
retry_with_changes or retry_after. Without CODE, all of them.
)",
    .options = {},
    .operand = {"CODE", "An error code, such as TOKEN_EXPIRED"},
    .settings = {},
    .run = run};

}  // namespace baton::cli
