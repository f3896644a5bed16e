#include "cli/commands/one_run.h"

#include "base/text/printable.h"
#include "base/text/text.h"

namespace baton::cli {

std::optional<std::string> option_of(const Arguments& arguments, std::string_view name) {
  const auto found = arguments.options.find(name);
  if (found == arguments.options.end()) return std::nullopt;
  return found->second.back();
}

Result<std::optional<NodeId>> node_option(const Arguments& arguments) {
  const auto given = option_of(arguments, "--node");
  if (!given) return std::nullopt;
  const auto node = NodeId::parse(*given);
  if (!node) {
    return fail(Code::INVALID_ID, cat("\"", *given, "\" is not a node"),
                "`baton show` lists the nodes of a run");
  }
  return *node;
}

json::Object run_json(const run::RunRow& row, const verbs::RunProgress& progress) {
  json::Object out{
      {"runId", row.run.text()},
      {"sessionId", row.session.text()},
      {"workflowId", row.workflow_id},
      {"workflowHash", cat("sha256:", row.workflow_hash.hex())},
      {"goal", row.goal},
      {"isComplete", row.is_complete},
      {"state", verbs::words_of(progress)},
      {"status", name_of(progress.status)},
      {"openGaps", static_cast<std::int64_t>(progress.gaps.size())},
      {"openSteps", json::Array(progress.open_steps.begin(), progress.open_steps.end())},
      {"nodes", row.nodes},
      {"startedAt", to_rfc3339(row.started)},
      {"lastActiveAt", to_rfc3339(row.last_active)}};
  if (progress.hold) {
    out.set("hold", json::Object{{"state", name_of(progress.hold->hold)},
                                 {"reason", progress.hold->reason},
                                 {"by", progress.hold->source.principal}});
  }
  if (progress.command) out.set("commandStatus", name_of(*progress.command));
  return out;
}

json::Object gap_json(const run::Gap& gap) {
  return {{"gapId", gap.id},
          {"severity", name_of(gap.severity)},
          {"category", name_of(category_of(gap.reason))},
          {"reason", name_of(gap.reason)},
          {"summary", gap.summary},
          {"stepId", gap.step}};
}

Result<std::optional<run::CommandStatus>> note_command(const VerbCall& call,
                                                       const engine::ReadContext& reading,
                                                       const run::RunRow& row) {
  const verbs::RunProgress progress = TRY(verbs::progress_of(reading, row));
  if (!progress.command || *progress.command == run::CommandStatus::ended) return progress.command;
  const std::string step = printable_line(progress.open_steps.front());
  const std::string none_runs = cat("note: no command is running for the step ", step);
  std::string note = cat("note: the command of the step ", step, " runs\n");
  if (*progress.command == run::CommandStatus::unknown) {
    note = cat(none_runs, "; the result of the last one is unknown\n");
  } else if (*progress.command == run::CommandStatus::held) {
    note = cat(none_runs, "; the run is held, so its command was not started\n");
  }
  TRY(write_text(call.world.errors, note));
  return progress.command;
}

}  // namespace baton::cli
