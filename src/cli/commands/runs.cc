#include "base/text/text.h"
#include "base/text/utf8.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "engine/load/load.h"
#include "verbs/run/history.h"
#include "verbs/run/mcp_tasks.h"

namespace baton::cli {
namespace {

constexpr std::int64_t default_count = 50;
constexpr std::size_t goal_bytes_shown = 60;
constexpr std::string_view runs_settings[] = {"db"};
constexpr Option runs_options[] = {
    {"--count", "N", "How many to list; default 50", false},
    {"--workflow", "ID", "Only runs of this workflow", false},
    {"--state", "STATE", "Only runs in this state, such as in_progress", false},
    {"--json", "", "One JSON object a line, for programs", false},
    {"--tasks", "", "List the tasks of MCP clients instead, the oldest first", false},
};

std::string json_line(const protocol::McpTask& task) {
  return json::print(json::Object{{"taskId", task.id},
                                  {"tool", task.tool},
                                  {"status", protocol::name_of(task.status)},
                                  {"createdAt", to_rfc3339(task.created)},
                                  {"lastUpdatedAt", to_rfc3339(task.updated)}}) +
         "\n";
}

Result<std::int64_t> count_of(const Arguments& arguments) {
  const auto given = arguments.options.find("--count");
  if (given == arguments.options.end()) return default_count;
  const auto number = parse_int(given->second.back());
  if (!number || *number < 1 || *number > limits::listed_runs_max) {
    return fail(Code::USAGE,
                cat("--count takes a whole number from 1 to ", limits::listed_runs_max));
  }
  return *number;
}

/// A run whose entry does not fit the log. What else the entry says may be wrong.
std::string json_line_of_damaged(const run::RunRow& row) {
  return json::print(json::Object{{"runId", row.run.text()}, {"state", "damaged"}}) + "\n";
}

/// What the verb found, in both forms.
struct Listing {
  Table table;
  std::string lines;
};

/// Which runs are asked for; an empty word asks for all.
struct Filter {
  std::string workflow;
  std::string state;
  bool operator==(const Filter&) const = default;

  bool takes(const run::RunRow& row) const {
    return workflow.empty() || row.workflow_id == workflow;
  }
  bool takes(const verbs::RunProgress& progress) const {
    return state.empty() || name_of(progress.status) == state;
  }
};

Result<Filter> filter_of(const Arguments& arguments) {
  Filter out{option_of(arguments, "--workflow").value_or(""),
             option_of(arguments, "--state").value_or("")};
  if (!out.state.empty() && !run::from_name<run::RunStatus>(out.state)) {
    return fail(Code::USAGE, cat("--state takes ", one_of(run::names<run::RunStatus>()), ", not '",
                                 out.state, "'"));
  }
  return out;
}

std::string pending_text(const std::vector<std::string>& steps) {
  if (steps.size() < 2) return steps.empty() ? "-" : steps.front();
  return cat(steps.front(), " and ", steps.size() - 1, " more");
}

Result<Listing> list_runs(const engine::ReadContext& reading, const Filter& filter,
                          std::int64_t left) {
  Listing out{Table({"RUN", "WORKFLOW", "STATE", "PENDING", "LAST ACTIVE", "GOAL"}), {}};
  std::optional<run::CommitNo> before;
  while (left > 0) {
    const auto page = TRY(reading.store.runs(before, limits::log_page_commits));
    if (page.empty()) break;
    before = page.back().last_commit;
    for (const run::RunRow& row : page) {
      if (row.parent || left == 0) continue;  // a sub-agent's is shown with the run it belongs to
      const auto found = reading.store.run(row.run);
      const auto reached = found && *found ? verbs::progress_of(reading, **found)
                                           : Result<verbs::RunProgress>(verbs::RunProgress());
      if (!reached && !engine::is_damage(reached.error())) return std::unexpected(reached.error());
      if (found && *found && reached) {
        const verbs::RunProgress& progress = *reached;
        if (!filter.takes(**found) || !filter.takes(progress)) continue;
        --left;
        out.lines += cat(json::print(run_json(**found, progress)), '\n');
        out.table.add({row.run.text(), (*found)->workflow_id, verbs::words_of(progress),
                       pending_text(progress.open_steps), to_rfc3339((*found)->last_active),
                       utf8::truncate((*found)->goal, goal_bytes_shown)});
      } else if (!found && !engine::is_damage(found.error())) {
        return std::unexpected(found.error());
      } else if (!found || !reached || !TRY(reading.store.purged(row.session))) {
        --left;
        out.lines += json_line_of_damaged(row);
        out.table.add({row.run.text(), "?", "damaged", "?", "?", "?"});
      }
    }
  }
  return out;
}

Result<Listing> list_tasks(const engine::ReadContext& reading, std::int64_t count) {
  Listing out{Table({"TASK", "TOOL", "STATUS", "LAST UPDATED"}), {}};
  for (const protocol::McpTask& task :
       TRY(verbs::list_tasks(reading, static_cast<std::size_t>(count)))) {
    out.lines += json_line(task);
    out.table.add({task.id, task.tool, std::string(protocol::name_of(task.status)),
                   to_rfc3339(task.updated)});
  }
  return out;
}

Result<Ending> run_runs(const VerbCall& call) {
  const std::int64_t count = TRY(count_of(call.arguments));
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const bool tasks = call.arguments.has("--tasks");
  const Filter filter = TRY(filter_of(call.arguments));
  const Listing found = tasks ? TRY(list_tasks(engine->reading(), count))
                              : TRY(list_runs(engine->reading(), filter, count));
  if (call.arguments.has("--json")) {
    TRY(write_text(call.world.output, found.lines));
  } else if (found.table.empty()) {
    const bool is_filtered = !tasks && filter != Filter();
    TRY(write_text(call.world.output,
                   is_filtered ? std::string("No run is like that.\n")
                               : cat("There are no ", tasks ? "tasks" : "runs", " yet.\n")));
  } else {
    TRY(write_text(call.world.output, found.table.text()));
  }
  return ExitCode::ok;
}

}  // namespace

constinit const Verb runs_verb = {
    .name = "runs",
    .summary = "List runs, the most recently active first",
    .help = R"(Lists the runs of the store with their workflow and state: in progress, blocked,
complete, complete with gaps, failed or abandoned; how many gaps are open;
whether the command that a run waits for is still running; the pending step and
the goal. The verbs about one run take the id in the first column, its last
characters, or `last`. Calls that MCP clients run as tasks are not runs; --tasks
lists them. A run whose entry does not match the log is listed as damaged;
`baton verify` says why.
)",
    .options = runs_options,
    .operand = {},
    .settings = runs_settings,
    .run = run_runs};

}  // namespace baton::cli
