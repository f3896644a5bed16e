#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "surface/gates.h"
#include "verbs/run/waiting_gates.h"

namespace baton::cli {
namespace {

constexpr std::string_view inbox_settings[] = {"db"};
constexpr Option inbox_options[] = {{"--json", "", "One JSON object per line, for programs"},
                                    {"--count", "N", "How many to list; default 1000"}};

Result<std::size_t> count_of(const Arguments& arguments) {
  const auto given = option_of(arguments, "--count");
  if (!given) return limits::listed_gates_max;
  const auto number = parse_int(*given);
  if (!number || *number < 1 || *number > limits::listed_runs_max) {
    return fail(Code::USAGE,
                cat("--count takes a whole number from 1 to ", limits::listed_runs_max));
  }
  return static_cast<std::size_t>(*number);
}

std::string json_lines(const verbs::WaitingGates& found) {
  std::string out;
  for (const verbs::WaitingGate& each : found.gates) {
    json::Object line = surface::gate_json(each);
    if (!each.parts.empty()) line.set("output", surface::parts_json(each));
    if (each.gate.output) line.set("outputSha256", each.gate.output->hex());
    if (each.parts_left > 0) line.set("partsLeft", static_cast<std::int64_t>(each.parts_left));
    out += cat(json::print(line), '\n');
  }
  return out;
}

/// Each line of a question in one cell.
std::string in_cell(std::string_view question) {
  std::string out;
  for (const char c : question) out += c == '\n' ? std::string(" | ") : std::string(1, c);
  return out;
}

std::string expiry(const verbs::WaitingGate& waiting) {
  if (!waiting.gate.expires) return "-";
  return waiting.is_expired ? "expired" : to_rfc3339(*waiting.gate.expires);
}

std::string table_of(const verbs::WaitingGates& found) {
  Table table({"RUN", "STEP", "NEEDS", "SINCE", "EXPIRES", "WHO", "QUESTION"});
  for (const verbs::WaitingGate& each : found.gates) {
    const run::Gate& gate = each.gate;
    const std::string needs =
        gate.count > 1 ? cat(name_of(gate.least), ' ', each.words.size(), '/', gate.count)
                       : std::string(name_of(gate.least));
    table.add({each.run.run.text(), gate.step, needs, to_rfc3339(each.opened), expiry(each),
               gate.who.empty() ? "-" : gate.who, in_cell(gate.question)});
  }
  return table.text();
}

Result<Ending> run_inbox(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const verbs::WaitingGates found =
      TRY(verbs::waiting_gates(engine->reading(), TRY(count_of(call.arguments))));
  if (call.arguments.has("--json")) {
    TRY(write_text(call.world.output, json_lines(found)));
  } else if (found.gates.empty()) {
    TRY(write_text(call.world.output, "No run waits at a gate.\n"));
  } else {
    TRY(write_text(call.world.output, table_of(found)));
  }
  if (found.has_more) {
    TRY(write_text(call.world.errors,
                   "note: more runs wait; these were active last, and --count N lists more\n"));
  }
  if (found.damaged > 0) {
    TRY(write_text(call.world.errors, cat("note: ", found.damaged,
                                          " runs could not be looked at; `baton verify` says "
                                          "why\n")));
  }
  return ExitCode::ok;
}

}  // namespace

constinit const Verb inbox_verb = {
    .name = "inbox",
    .summary = "List the gates where runs wait for a person",
    .help = R"(Lists each gate where a run waits for a decision: its step, how sure the
decision has to be (claimed, asked, present or sealed), since when, until when,
whom to ask, and the question. `baton approve RUN` and `baton refuse RUN` show
what it is about and decide. --json shows that too: each part of the output with
its size and SHA-256. What is cut there is in `baton log RUN`. A question that
an agent passes on to its user (user_input) is no gate: it is asked where the
agent is, and `baton show RUN` says that its step waits for the user.
)",
    .options = inbox_options,
    .operand = {},
    .settings = inbox_settings,
    .run = run_inbox};

}  // namespace baton::cli
