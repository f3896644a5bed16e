// The verbs that show the language itself: schema and builtins.

#include "base/text/text.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "workflow/check/closed_sets.h"
#include "workflow/check/json_schema.h"
#include "workflow/check/shape.h"

namespace baton::cli {
namespace {

Result<Ending> run_schema(const VerbCall& call) {
  TRY(write_text(call.world.output, json::print_pretty(workflow::language_schema()) + "\n"));
  return ExitCode::ok;
}

template <class T>
void add_set(std::string& out, std::string_view title, std::span<const T> set) {
  Table table({std::string(title), "MEANING"});
  for (const T& each : set) table.add({std::string(each.id), std::string(each.help)});
  out += cat(out.empty() ? "" : "\n", table.text());
}

Result<Ending> run_builtins(const VerbCall& call) {
  Table steps({"STEP TYPE", "WHO ACTS", "MEANING"});
  for (const workflow::StepType& type : workflow::step_types()) {
    steps.add({std::string(type.name), std::string(type.actor),
               type.canonical.empty() ? std::string(type.help)
                                      : cat("another spelling of ", type.canonical)});
  }
  std::string out = steps.text();
  add_set(out, "CONDITION", workflow::condition_operators());
  add_set(out, "CONTRACT", workflow::contracts());
  add_set(out, "FEATURE", workflow::features());
  add_set(out, "TEMPLATE", workflow::templates());
  add_set(out, "REF", workflow::refs());
  add_set(out, "CAPABILITY", workflow::capabilities());
  add_set(out, "DIVERGENCE", workflow::divergence_reasons());
  TRY(write_text(call.world.output, out));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb schema_verb = {
    .name = "schema",
    .summary = "Print the JSON Schema of workflow files",
    .help = R"(Prints the language as JSON Schema 2020-12, for editors. It is generated from
the compiler's own tables: what the compiler accepts matches the schema.
)",
    .options = {},
    .operand = {},
    .settings = {},
    .run = run_schema};

constinit const Verb builtins_verb = {
    .name = "builtins",
    .summary = "List the closed sets that workflows may name",
    .help = R"(Lists every step type, condition operator, contract, feature, template, ref,
capability and divergence reason.
)",
    .options = {},
    .operand = {},
    .settings = {},
    .run = run_builtins};

}  // namespace baton::cli
