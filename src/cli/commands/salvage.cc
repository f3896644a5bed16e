#include "verbs/store/salvage.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "verbs/store/verify.h"

namespace baton::cli {
namespace {

constexpr std::string_view salvage_settings[] = {"db"};

Result<Ending> run_salvage(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const std::filesystem::path folder = call.world.directory / call.arguments.operand;
  if (::mkdir(folder.c_str(), 0700) != 0) {
    return fail(Code::ENVIRONMENT, cat("cannot make ", folder.string(), ": ", std::strerror(errno)),
                "name a folder that does not exist yet");
  }
  const auto audit = TRY(engine->store.audit());
  const verbs::SalvageReport report = TRY(verbs::salvage(
      audit->reader(), [&](const SessionId& session, const std::string& text) -> Result<void> {
        return write_new_file(folder / cat(session.text(), ".json"), text);
      }));
  std::string out;
  for (const verbs::SalvagedSession& session : report.sessions) {
    out += cat(session.session.text(), ": ", session.commits,
               session.commits == 1 ? " commit" : " commits");
    if (!session.lost.empty()) out += cat("; the rest is lost: ", printable_line(session.lost));
    out += '\n';
  }
  if (report.unreadable > 0) out += cat(report.unreadable, " commits cannot be read at all\n");
  const auto written = std::ranges::count_if(
      report.sessions, [](const verbs::SalvagedSession& each) { return each.commits > 0; });
  out += cat(written, written == 1 ? " session is in " : " sessions are in ",
             printable_line(folder.string()), "; `baton import FILE` adds one to another store\n");
  if (report.has_approvals) {
    out +=
        "The approval keys and signed policies belong to this store and are in no bundle: record "
        "your key\nin the other one with `baton approvals init`. Sealed decisions are claims "
        "there.\n";
  }
  if (report.client_tasks > 0) {
    out += cat(report.client_tasks, report.client_tasks == 1 ? " task" : " tasks",
               " of MCP clients belong to this store and are in no bundle.\n");
  }
  // A session whose entry is gone cannot be seen from its commits.
  const bool is_sound = report.is_whole() && TRY(verbs::verify(engine->store, {})).ok();
  if (!is_sound) out += "Not everything could be exported; `baton verify` lists what is damaged.\n";
  TRY(write_text(call.world.output, out));
  return is_sound ? ExitCode::ok : ExitCode::no;
}

}  // namespace

constinit const Verb salvage_verb = {
    .name = "salvage",
    .summary = "Export what is sound in a damaged store",
    .help = R"(Writes every session to a bundle of its own in a new folder, a damaged one up to
the last commit that matches its hash. Changes nothing in the store. Exit code 1
when something could not be exported; the report names it for each session.
Approval keys, signed policies and the tasks of MCP clients belong to the store
and are in no bundle, which is said and is no failure.
)",
    .options = {},
    .operand = {"FOLDER", "Where the bundles go; it must not exist yet", true},
    .settings = salvage_settings,
    .run = run_salvage};

}  // namespace baton::cli
