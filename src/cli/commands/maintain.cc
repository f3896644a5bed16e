// `baton rebuild`, `baton gc` and `baton revoke`.

#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "verbs/run/history.h"
#include "verbs/run/revoke.h"
#include "verbs/store/gc.h"

namespace baton::cli {
namespace {

constexpr std::string_view maintain_settings[] = {"db"};
constexpr Option gc_options[] = {
    {"--days", "N", "Remove sessions without activity for N days; default 90", false},
    {"--completed", "", "Only runs that are complete", false},
    {"--dry-run", "", "Show what would be removed; remove nothing", false},
};

Result<Ending> run_rebuild(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  TRY(engine->store.rebuild());
  // The next search fills it again.
  if (engine->search != nullptr) TRY(engine->search->clear());
  TRY(write_text(call.world.output, "Everything that is derived from the log was rebuilt.\n"));
  return ExitCode::ok;
}

Result<Ending> run_gc(const VerbCall& call) {
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
  return ExitCode::ok;
}

Result<Ending> run_revoke(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  TRY(verbs::revoke(*engine, row));
  TRY(write_text(call.world.output, cat("Every token of ", row.run.text(), " is revoked.\n")));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb rebuild_verb = {
    .name = "rebuild",
    .summary = "Rebuild everything that is derived from the log",
    .help = R"(Drops the index of nodes, attempts and runs and derives it from the log again,
with the same content. Tokens stay valid. For a store whose index `baton verify`
finds damaged while its log is sound.
)",
    .options = {},
    .operand = {},
    .settings = maintain_settings,
    .run = run_rebuild};

constinit const Verb gc_verb = {
    .name = "gc",
    .summary = "Remove sessions without recent activity",
    .help = R"(Removes whole sessions without activity for the given time; one that becomes
active meanwhile stays. Their outputs are deleted, and so is every text
that no other session refers to. Tokens of a removed session get
TOKEN_UNKNOWN_NODE. Expired tasks of MCP clients are removed, too.
)",
    .options = gc_options,
    .operand = {},
    .settings = maintain_settings,
    .run = run_gc};

constinit const Verb revoke_verb = {
    .name = "revoke",
    .summary = "Revoke every token of a run",
    .help = R"(Every token that the run has issued so far gets TOKEN_REVOKED
from now on. The run's history stays and can be read and exported.
)",
    .options = {},
    .operand = run_operand,
    .settings = maintain_settings,
    .run = run_revoke};

}  // namespace baton::cli
