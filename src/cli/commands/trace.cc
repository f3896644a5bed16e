#include "base/text/text.h"
#include "base/text/utf8.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "verbs/run/history.h"
#include "verbs/run/traces.h"

namespace baton::cli {
namespace {

constexpr std::size_t shown_bytes = 60;  // of a value in the table
constexpr std::string_view trace_settings[] = {"db"};
constexpr Option trace_options[] = {
    {"--field", "NAME", "Only this computed field", false},
    {"--node", "NODE", "The node of the run to trace up to; default the latest", false},
    {"--json", "", "One JSON object a line, for programs", false},
};

std::string shown(const verbs::TransformTrace& trace) {
  if (!trace.output) return "undefined";
  std::string text = json::print(*trace.output);
  if (text.size() <= shown_bytes) return text;
  return cat(utf8::prefix(text, shown_bytes), "...");
}

std::string json_line(const verbs::TransformTrace& trace) {
  json::Object out{{"at", to_rfc3339(trace.at)}, {"nodeId", trace.node.text()},
                   {"cause", trace.cause},       {"field", trace.field},
                   {"trigger", trace.trigger},   {"outcome", trace.outcome}};
  if (!trace.frame.empty()) out.set("frame", trace.frame);
  if (trace.input) out.set("input", *trace.input);
  if (trace.output) out.set("output", *trace.output);
  if (!trace.problem.empty()) out.set("problem", trace.problem);
  out.set("elapsedUs", trace.elapsed_us);
  return cat(json::print(out), '\n');
}

std::string text_of(const std::vector<verbs::TransformTrace>& traces) {
  Table table({"STEP", "FIELD", "BECAUSE OF", "OUTCOME", "VALUE", "TIME"});
  for (const verbs::TransformTrace& each : traces) {
    const std::string field = each.frame.empty() ? each.field : cat(each.frame, ": ", each.field);
    table.add({each.cause, field, each.trigger,
               each.problem.empty() ? each.outcome : cat(each.outcome, ": ", each.problem),
               shown(each), cat(each.elapsed_us, " us")});
  }
  return table.text();
}

Result<Ending> run_trace(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  verbs::TraceQuery query;
  query.node = TRY(node_option(call.arguments));
  query.field = option_of(call.arguments, "--field");
  query.nodes_max = SIZE_MAX;
  const std::vector<verbs::TransformTrace> traces =
      TRY(verbs::traces(engine->reading(), row, query)).traces;
  std::string out;
  if (call.arguments.has("--json")) {
    for (const verbs::TransformTrace& each : traces) out += json_line(each);
  } else {
    out = traces.empty() ? "Nothing has been computed.\n" : text_of(traces);
  }
  TRY(write_text(call.world.output, out));
  if (!query.node) TRY(note_command(call, engine->reading(), row));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb trace_verb = {
    .name = "trace",
    .summary = "Show how the computed fields of a run got their values",
    .help = R"(Shows every evaluation of a computed field up to the run's latest node,
in order: the step that changed something, the path that changed, the outcome,
the output and how long it took. With --json also the input.
)",
    .options = trace_options,
    .operand = run_operand,
    .settings = trace_settings,
    .run = run_trace};

}  // namespace baton::cli
