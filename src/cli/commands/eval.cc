#include "base/core/limits.h"
#include "base/text/text.h"
#include "cli/parts.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "verbs/workflow/test_transformation.h"

namespace baton::cli {
namespace {

constexpr Option eval_options[] = {
    {"--input", "FILE", "JSON that the script gets as `input`; - is standard input"},
    {"--state", "FILE", "A JSON object whose members the script gets by name"}};

Result<json::Value> json_of(const VerbCall& call, const std::string& name) {
  auto value = json::parse(TRY(input_text(call.world, name, limits::script_scope_bytes_max)));
  if (!value) return fail(value.error().code, cat(name, ": ", value.error().message));
  return value;
}

/// The option's value, or nullptr.
const std::string* given(const VerbCall& call, std::string_view option) {
  const auto found = call.arguments.options.find(option);
  return found == call.arguments.options.end() ? nullptr : &found->second.back();
}

Result<Ending> run_eval(const VerbCall& call) {
  json::Object scope;
  if (const std::string* name = given(call, "--state")) {
    json::Value value = TRY(json_of(call, *name));
    if (!value.is_object()) return fail(Code::INVALID_INPUT, cat(*name, " is not a JSON object"));
    scope = std::move(*value.if_object());
  }
  if (const std::string* name = given(call, "--input")) {
    scope.set("input", TRY(json_of(call, *name)));
  }
  const verbs::TriedTransformation tried =
      verbs::test_transformation(*call.parts.scripts, *call.parts.clock, *call.parts.entropy,
                                 call.arguments.operand, std::move(scope));
  TRY(write_text(call.world.output, cat(json::print(TRY(tried.output)), '\n')));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb eval_verb = {
    .name = "eval",
    .summary = "Evaluate a piece of JavaScript as a workflow would",
    .help = R"(Runs an expression, or statements with a return, in the sandbox that workflows
use, and prints the result as JSON on one line. An error is reported
with exit code 1, the reason and the line and column of the script.
)",
    .options = eval_options,
    .operand = {"SCRIPT", "The script", true},
    .settings = {},
    .run = run_eval};

}  // namespace baton::cli
