#include "cli/commands/one_run.h"

#include <algorithm>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "engine/load/find_run.h"

namespace baton::cli {
namespace {

constexpr std::string_view last_run = "last";

/// Whether the characters are all of the alphabet of ids.
bool is_end_of_id(std::string_view text) {
  return text.size() >= limits::short_id_characters_min &&
         text.find_first_not_of("0123456789abcdefghjkmnpqrstvwxyz") == std::string_view::npos;
}

/// The newest runs whose ids end so, at most `most`; with an empty text any.
Result<std::vector<run::RunRow>> runs_that_end_in(const RunPages& pages, std::string_view end,
                                                  std::size_t most) {
  std::vector<run::RunRow> out;
  std::optional<run::CommitNo> before;
  for (std::size_t left = limits::short_id_runs_max; left > 0 && out.size() < most;) {
    auto page = TRY(pages(before, std::min(left, limits::log_page_commits)));
    if (page.empty()) break;
    left -= page.size();
    before = page.back().last_commit;
    for (run::RunRow& row : page) {
      // A sub-agent's run is shown with the one it belongs to.
      if (!row.parent && row.run.text().ends_with(end)) out.push_back(std::move(row));
    }
  }
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace

run::ChangeSource source_of(const World& world) {
  run::ChangeSource out;
  out.how = world.input_is_terminal ? run::ChangedHow::terminal : run::ChangedHow::call;
  return out;
}

Result<run::RunRow> run_by_end(const RunPages& pages, std::string_view end) {
  auto found = TRY(runs_that_end_in(pages, end, 2));
  if (found.empty()) {
    return fail(Code::NOT_FOUND,
                cat("none of the newest ", limits::short_id_runs_max, " runs ends in ", end),
                "`baton runs` lists the runs");
  }
  if (found.size() > 1) {
    return fail(Code::INVALID_ID,
                cat("both ", found[0].run.text(), " and ", found[1].run.text(), " end in ", end),
                "give more characters of the id");
  }
  return std::move(found.front());
}

Result<run::RunRow> named_run(ports::EventReader& store, std::string_view name) {
  const RunPages pages = [&store](std::optional<run::CommitNo> before, std::size_t limit) {
    return store.runs(before, limit);
  };
  if (name == last_run) {
    auto newest = TRY(runs_that_end_in(pages, "", 1));
    if (newest.empty()) return fail(Code::NOT_FOUND, "there are no runs yet");
    return std::move(newest.front());
  }
  return is_end_of_id(name) ? run_by_end(pages, name) : engine::find_run(store, name);
}

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
