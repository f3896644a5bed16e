// `baton rebuild`, `baton gc` and `baton revoke`.

#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "verbs/gc.h"
#include "verbs/history.h"
#include "verbs/revoke.h"

namespace baton::cli {
namespace {

constexpr std::string_view used_settings[] = {"db"};
constexpr Option gc_options[] = {
    {"--days", "N", "Remove what was quiet for N days; 90 unless given", false},
    {"--completed", "", "Only runs that are complete", false},
    {"--dry-run", "", "Say what would be removed, and remove nothing", false},
};

Result<Ending> run_rebuild(const Call& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  verbs::Engine* engine = TRY(backend->existing());
  TRY(engine->store.rebuild());
  // It is filled again by whoever searches next.
  if (engine->search != nullptr) TRY(engine->search->clear());
  TRY(write_text(call.world.output, "Everything that follows from the log was made anew.\n"));
  return Exit::ok;
}

Result<Ending> run_gc(const Call& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  verbs::GcRequest request;
  if (const auto given = call.arguments.options.find("--days");
      given != call.arguments.options.end()) {
    const auto days = parse_int(given->second.back());
    if (!days || *days < 0 || *days > limits::gc_quiet_days_max) {
      return fail(Code::USAGE,
                  cat("--days takes a whole number from 0 to ", limits::gc_quiet_days_max));
    }
    request.quiet_days = *days;
  }
  request.only_completed = call.arguments.has("--completed");
  request.dry_run = call.arguments.has("--dry-run");
  const auto backend = call.parts.open_backend(config);
  const verbs::GcReport report = TRY(verbs::gc(*TRY(backend->existing()), request));
  std::string out;
  for (const SessionId& session : report.removed) {
    out += cat(request.dry_run ? "would remove " : "removed ", session.text(), '\n');
  }
  out += cat(report.removed.size(), request.dry_run ? " to remove, " : " removed, ", report.kept,
             " kept\n");
  TRY(write_text(call.world.output, out));
  return Exit::ok;
}

Result<Ending> run_revoke(const Call& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  verbs::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(verbs::find_run(engine->store, call.arguments.operand));
  TRY(verbs::revoke(*engine, row));
  TRY(write_text(call.world.output, cat("Every token of ", row.run.text(), " is void.\n")));
  return Exit::ok;
}

}  // namespace

constinit const Verb rebuild_verb = {
    .name = "rebuild",
    .summary = "Make everything that follows from the log anew",
    .help = R"(Drops the index of nodes, attempts and runs and derives it from the log again,
with the same content. Tokens stay good. For a store that `baton verify` finds
wrong in its index but whole in its log.
)",
    .options = {},
    .operand = {},
    .settings = used_settings,
    .run = run_rebuild};

constinit const Verb gc_verb = {
    .name = "gc",
    .summary = "Remove sessions that were quiet for long",
    .help = R"(Removes whole sessions nobody has touched for the given time; one that becomes
active meanwhile stays. What was handed in is gone then, and so is every text
that no other session refers to. Tokens of a removed session are answered with
TOKEN_UNKNOWN_NODE. Tasks of MCP clients go when their life is over, too.
)",
    .options = gc_options,
    .operand = {},
    .settings = used_settings,
    .run = run_gc};

constinit const Verb revoke_verb = {
    .name = "revoke",
    .summary = "Void every token of a run",
    .help = R"(Every token that the run has given out so far is answered with TOKEN_REVOKED
from now on. The run's history stays and can be looked at and exported.
)",
    .options = {},
    .operand = {"RUN", "A run or session id, as `baton runs` lists it", true},
    .settings = used_settings,
    .run = run_revoke};

}  // namespace baton::cli
