#include "verbs/verify.h"

#include "base/text.h"
#include "cli/backend.h"
#include "cli/config_load.h"
#include "cli/parts.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr std::string_view used_settings[] = {"db"};

Result<verbs::VerifyReport> look_at_all(Backend& backend) {
  verbs::Engine* engine = TRY(backend.existing());
  verbs::VerifyReport report = TRY(verbs::verify(engine->store.unchecked()));
  for (std::string& problem : TRY(engine->store.check_integrity())) {
    report.problems.push_back(cat("the store's file: ", problem));
  }
  return report;
}

Result<Ending> run(const Call& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto looked = look_at_all(*call.parts.open_backend(config));
  verbs::VerifyReport report;
  if (looked) {
    report = *looked;
  } else if (looked.error().code == Code::STORE_CORRUPT) {
    // Too damaged to be read on, which is an answer too.
    report.problems = {looked.error().message};
  } else {
    return std::unexpected(looked.error());
  }
  std::string out;
  for (const std::string& problem : report.problems) out += cat("problem: ", problem, '\n');
  out += cat(report.ok() ? "ok" : "damaged", ": ", report.commits, " commits, ", report.events,
             " events, ", report.sessions, " sessions, ", report.nodes, " nodes, ",
             report.problems.size(), " problems\n");
  TRY(write_text(call.world.output, out));
  return report.ok() ? Exit::ok : Exit::no;
}

}  // namespace

constinit const Verb verify_verb = {
    .name = "verify",
    .summary = "Check every byte of the store against its hashes",
    .help = R"(Reads the whole log and checks the hash chain of each session, that every text
referred to is there unchanged, and that everything indexed is what the log
says. Also runs the database's own integrity check. Writes nothing. Exit code 1
when there is a problem; each is named with its commit.
)",
    .options = {},
    .operand = {},
    .settings = used_settings,
    .run = run};

}  // namespace baton::cli
