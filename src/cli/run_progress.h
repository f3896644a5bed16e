#pragma once
// How far a run is, for several verbs: as JSON, and as a note beside what a verb prints.

#include "base/json.h"
#include "cli/verb.h"
#include "verbs/history.h"

namespace baton::cli {

/// A run and how far it is.
json::Object run_json(const run::RunRow& row, const verbs::RunProgress& progress);

json::Object gap_json(const run::Gap& gap);

/// Says on standard error whether the command of the run's open step still runs, where what a verb
/// prints would leave that to be guessed. Nothing for a run that waits for no command.
Result<std::optional<run::CommandStatus>> note_command(const Call& call,
                                                       const verbs::Reading& reading,
                                                       const run::RunRow& row);

}  // namespace baton::cli
