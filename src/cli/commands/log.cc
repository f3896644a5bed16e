#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "verbs/run/history.h"

namespace baton::cli {
namespace {

constexpr std::string_view log_settings[] = {"db"};

Result<Ending> run_log(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  std::int64_t number = 0;
  for (const verbs::LoggedEvent& logged : TRY(verbs::run_log(engine->store, row))) {
    json::Value data = run::to_json(logged.event);
    data.if_object()->erase("kind");
    TRY(write_text(call.world.output, cat(++number, ' ', run::kind_name(logged.event), ' ',
                                          TRY(json::canonical(data)), '\n')));
  }
  TRY(note_command(call, engine->reading(), row));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb log_verb = {
    .name = "log",
    .summary = "Print the events of a run as numbered lines",
    .help = R"(Prints every event of the run's session in order: its number, its kind, and its
data as canonical JSON. docs/formats/event-log.md explains the kinds.
)",
    .options = {},
    .operand = run_operand,
    .settings = log_settings,
    .run = run_log};

}  // namespace baton::cli
