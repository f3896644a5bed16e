#include "base/text.h"
#include "cli/backend.h"
#include "cli/config_load.h"
#include "cli/parts.h"
#include "cli/table.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr std::int64_t default_count = 50;
constexpr std::string_view used_settings[] = {"db"};
constexpr Option options[] = {
    {"--count", "N", "How many to list; 50 unless given", false},
    {"--json", "", "One JSON object a line, for programs", false},
};

std::string json_line(const run::RunRow& row) {
  return json::print(json::Object{{"runId", row.run.text()},
                                  {"sessionId", row.session.text()},
                                  {"workflowId", row.workflow_id},
                                  {"workflowHash", cat("sha256:", row.workflow_hash.hex())},
                                  {"goal", row.goal},
                                  {"isComplete", row.is_complete},
                                  {"nodes", row.nodes},
                                  {"startedAt", to_rfc3339(row.started)},
                                  {"lastActiveAt", to_rfc3339(row.last_active)}}) +
         "\n";
}

Result<std::int64_t> count_of(const Arguments& arguments) {
  const auto given = arguments.options.find("--count");
  if (given == arguments.options.end()) return default_count;
  const auto number = parse_int(given->second.back());
  if (!number || *number < 1) return fail(Code::USAGE, "--count takes a whole number from 1");
  return *number;
}

Result<Ending> run(const Call& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  verbs::Engine* engine = TRY(backend->engine());
  std::int64_t left = TRY(count_of(call.arguments));
  const bool as_json = call.arguments.has("--json");
  Table table({"RUN", "WORKFLOW", "STATE", "NODES", "LAST ACTIVE"});
  std::string lines;
  std::optional<run::CommitNo> before;
  while (left > 0) {
    const auto page = TRY(engine->store.runs(
        before, std::min(static_cast<std::size_t>(left), limits::log_page_commits)));
    if (page.empty()) break;
    before = page.back().last_commit;
    left -= static_cast<std::int64_t>(page.size());
    for (const run::RunRow& row : page) {
      lines += json_line(row);
      table.add({row.run.text(), row.workflow_id, row.is_complete ? "complete" : "in progress",
                 cat(row.nodes), to_rfc3339(row.last_active)});
    }
  }
  if (as_json) {
    TRY(write_text(call.world.output, lines));
  } else if (table.empty()) {
    TRY(write_text(call.world.output, "There are no runs yet.\n"));
  } else {
    TRY(write_text(call.world.output, table.text()));
  }
  return Exit::ok;
}

}  // namespace

constinit const Verb runs_verb = {
    .name = "runs",
    .summary = "List runs, the latest active first",
    .help = R"(Lists the runs of the store with their workflow and state. `baton show` and
`baton log` take the id in the first column.
)",
    .options = options,
    .operand = {},
    .settings = used_settings,
    .run = run};

}  // namespace baton::cli
