#pragma once
// What several verbs about one run share: options, how far the run is as JSON, and a note beside
// what a verb prints.

#include <functional>
#include <optional>
#include <vector>

#include "base/core/ids.h"
#include "base/json/json.h"
#include "cli/verb.h"
#include "verbs/run/history.h"

namespace baton::cli {

/// The value of an option, or nothing when it was not given.
std::optional<std::string> option_of(const Arguments& arguments, std::string_view name);

/// Runs by latest activity, newest first, before a commit; at most so many.
using RunPages = std::function<Result<std::vector<run::RunRow>>(std::optional<run::CommitNo> before,
                                                                std::size_t limit)>;

/// Who speaks: a person at a terminal, or what calls the command line.
run::ChangeSource source_of(const World& world);

/// The one run whose id ends so, among the newest limits::short_id_runs_max.
Result<run::RunRow> run_by_end(const RunPages& pages, std::string_view end);

/// A run as a person names it: by its id or its session's, by the last characters of its id, or as
/// `last`, the one that was active last.
Result<run::RunRow> named_run(ports::EventReader& store, std::string_view name);

/// --node NODE; nothing when it was not given. INVALID_ID when it is not an id.
Result<std::optional<NodeId>> node_option(const Arguments& arguments);

/// A run and how far it is.
json::Object run_json(const run::RunRow& row, const verbs::RunProgress& progress);

/// What verbs about one run take.
inline constexpr Operand run_operand = {
    "RUN", "The id of a run or session, the end of one, or `last`", true};

json::Object gap_json(const run::Gap& gap);

/// Says on standard error whether the command of the run's open step still runs, where what a verb
/// prints would leave that to be guessed. Nothing for a run that waits for no command.
Result<std::optional<run::CommandStatus>> note_command(const VerbCall& call,
                                                       const engine::ReadContext& reading,
                                                       const run::RunRow& row);

}  // namespace baton::cli
