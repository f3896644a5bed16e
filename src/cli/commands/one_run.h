#pragma once
// What several verbs about one run share: options, how far the run is as JSON, and a note beside
// what a verb prints.

#include <optional>

#include "base/core/ids.h"
#include "base/json/json.h"
#include "cli/verb.h"
#include "verbs/run/history.h"

namespace baton::cli {

/// The value of an option, or nothing when it was not given.
std::optional<std::string> option_of(const Arguments& arguments, std::string_view name);

/// --node NODE; nothing when it was not given. INVALID_ID when it is not an id.
Result<std::optional<NodeId>> node_option(const Arguments& arguments);

/// A run and how far it is.
json::Object run_json(const run::RunRow& row, const verbs::RunProgress& progress);

json::Object gap_json(const run::Gap& gap);

/// Says on standard error whether the command of the run's open step still runs, where what a verb
/// prints would leave that to be guessed. Nothing for a run that waits for no command.
Result<std::optional<run::CommandStatus>> note_command(const VerbCall& call,
                                                       const engine::ReadContext& reading,
                                                       const run::RunRow& row);

}  // namespace baton::cli
