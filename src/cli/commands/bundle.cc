// `baton export` and `baton import`.

#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "verbs/run/history.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/import_bundle.h"

namespace baton::cli {
namespace {

constexpr std::string_view bundle_settings[] = {"db"};

Result<Ending> run_export(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  TRY(write_data(call.world.output, call.world.output_is_terminal,
                 TRY(verbs::export_bundle(engine->store, row.session))));
  return ExitCode::ok;
}

Result<Ending> run_import(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  // First, so that a name typed wrong makes no store.
  const std::string text =
      TRY(input_text(call.world, call.arguments.operand, limits::bundle_bytes_max));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->engine());
  const verbs::Imported imported = TRY(verbs::import_bundle(*engine, text));
  std::string out = cat("imported ", imported.session.text(), ": ", imported.commits,
                        imported.commits == 1 ? " commit\n" : " commits\n");
  for (const RunId& run : imported.runs) out += cat("run ", run.text(), '\n');
  if (imported.renamed) out += "Its ids were already in use here, so it got new ones.\n";
  TRY(write_text(call.world.output, out));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb export_verb = {
    .name = "export",
    .summary = "Write a run's session to one file, to continue it elsewhere",
    .help = R"(Writes the whole session to standard output as a bundle: its log, the workflow
it is pinned to and everything it refers to, with digests. It holds no tokens.
On a terminal it is shown escaped.
)",
    .options = {},
    .operand = run_operand,
    .settings = bundle_settings,
    .run = run_export};

constinit const Verb import_verb = {
    .name = "import",
    .summary = "Import a session that `baton export` wrote",
    .help = R"(Checks everything in the bundle, then imports all of it or nothing. When one
of its ids is already in use here, the session gets new ids.
)",
    .options = {},
    .operand = {"FILE", "The bundle; - for standard input", true},
    .settings = bundle_settings,
    .run = run_import};

}  // namespace baton::cli
