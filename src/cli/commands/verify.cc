#include "verbs/store/verify.h"

#include "base/core/sha256.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr std::string_view verify_settings[] = {"db"};
constexpr Option verify_options[] = {
    {"--approvals", "KEY", "A public approval key that was kept elsewhere", true},
    {"--since", "HEAD", "A head that was noted earlier: the store must continue it"},
};

constexpr std::size_t imports_shown_max = 8;

/// How far the check has come, on a terminal only, once for each percent.
class Progress {
 public:
  explicit Progress(const World& world) : world_(world) {}
  ~Progress() {
    if (percent_ >= 0) static_cast<void>(write_progress(world_.errors, ""));
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(run::CommitNo checked, run::CommitNo last) {
    if (!world_.errors_are_terminal || last.value == 0) return;
    const std::int64_t percent = 100 * checked.value / last.value;
    if (percent == percent_) return;
    percent_ = percent;
    const std::string text =
        percent < 100 ? cat("checking the log: ", percent, "% of ", last.value, " commits")
                      : "comparing the tables with the log";
    static_cast<void>(write_progress(world_.errors, text));
  }

 private:
  const World& world_;
  std::int64_t percent_ = -1;
};

Result<verbs::VerifyRequest> request_of(const VerbCall& call) {
  verbs::VerifyRequest out;
  const auto keys = call.arguments.options.find("--approvals");
  if (keys != call.arguments.options.end()) {
    for (const std::string& key : keys->second) {
      if (!Sha256::from_hex(key)) {
        return fail(Code::USAGE, "--approvals needs a public key: 64 hexadecimal digits",
                    "`baton approvals init` and `rotate` print it");
      }
      out.kept.insert(key);
    }
  }
  if (const auto head = option_of(call.arguments, "--since")) {
    out.since = run::StoreHead::parse(*head);
    if (!out.since) {
      return fail(Code::USAGE, "--since needs a head as `baton verify` prints it",
                  "it begins with 'head1:'");
    }
  }
  return out;
}

Result<verbs::VerifyReport> check_all(const VerbCall& call) {
  verbs::VerifyRequest request = TRY(request_of(call));
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  Progress progress(call.world);
  request.signatures = engine->signatures;
  const auto show = [&](run::CommitNo checked, run::CommitNo last) {
    progress.show(checked, last);
  };
  return verbs::verify(engine->store, show, request);
}

std::string counted(std::int64_t count, std::string_view thing) {
  return cat(count, ' ', thing, count == 1 ? "" : "s");
}

std::string checked_text(const verbs::VerifyReport& report) {
  return cat(
      "checked the store as it was after commit ", report.last.value,
      ": the hash and place of each commit, the texts it refers to,\nevery row of the index (",
      counted(report.runs, "run"), ", ", counted(report.nodes, "node"), ", ",
      counted(report.snapshots, "snapshot"),
      "), and the file's pages, tables, indexes and triggers\n");
}

/// Commits that came just before the check need not be noted yet.
std::string anchored_text(const verbs::VerifyReport& report) {
  if (!report.anchored || *report.anchored >= report.last) return "";
  return cat("the heads beside the store confirm it up to commit ", report.anchored->value, '\n');
}

/// What owners sealed, and the one line that the store can be compared with later.
std::string sealed_text(const verbs::VerifyReport& report) {
  return cat(report.seals == 0 ? "" : cat(counted(report.seals, "seal"), " of approval keys fit\n"),
             "head: ", report.head.text(), '\n');
}

/// Decisions that are no damage, and that nothing in this store shows to be a person's.
std::string imported_text(const verbs::VerifyReport& report) {
  std::string out;
  std::size_t shown = 0;
  for (const auto& [session, decisions] : report.imported) {
    if (++shown > imports_shown_max) {
      const std::size_t more = report.imported.size() - imports_shown_max;
      return cat(out, "note: so were those of ", more, " more session", more == 1 ? "" : "s", '\n');
    }
    out += cat("note: ", counted(decisions, "decision"), " in ", session.text(),
               decisions == 1 ? " was" : " were",
               " imported and not vouched for here; check the store they come from\n");
  }
  return out;
}

/// What to do about the problems, one line for each part of the store that has some.
std::string next_moves(const verbs::VerifyReport& report) {
  std::string out;
  if (report.has(ports::StorePart::log)) {
    out +=
        "next, for the log: copy the store's files to a safe place; `baton salvage FOLDER` "
        "exports\n"
        "  the sessions that are sound, `baton restore` goes back to a backup\n";
  }
  if (report.has(ports::StorePart::file)) {
    out +=
        "next, for the file: `baton salvage FOLDER` exports the sessions, `baton import` brings "
        "them\n"
        "  into a new store; or `baton restore` goes back to a backup\n";
  }
  if (report.has(ports::StorePart::index)) {
    out += report.has(ports::StorePart::log)
               ? "next, for the index: after that, `baton rebuild` rebuilds it from the log\n"
               : "next, for the index: `baton rebuild` rebuilds it from the log\n";
  }
  return out;
}

Result<Ending> run_verify(const VerbCall& call) {
  const auto checked = check_all(call);
  verbs::VerifyReport report;
  if (checked) {
    report = *checked;
  } else if (checked.error().code == Code::STORE_CORRUPT ||
             checked.error().code == Code::INTERNAL) {
    // Too damaged to be read on, which is an answer too.
    report.problems = {cat("in the file: ", checked.error().message)};
    report.problems_of[static_cast<std::size_t>(ports::StorePart::file)] = 1;
  } else {
    return std::unexpected(checked.error());
  }
  std::string out;
  for (const std::string& problem : report.problems) {
    out += cat("problem ", printable_line(problem), '\n');
  }
  const std::int64_t shown = std::ssize(report.problems);
  if (report.all_problems() > shown) {
    out += cat("and ", counted(report.all_problems() - shown, "more problem"), '\n');
  }
  if (checked)
    out += cat(checked_text(report), anchored_text(report), imported_text(report),
               sealed_text(report));
  out += cat(report.ok() ? "ok" : "damaged", ": ", counted(report.commits, "commit"), ", ",
             counted(report.events, "event"), ", ", counted(report.sessions, "session"), ", ",
             counted(report.nodes, "node"), ", ", counted(report.all_problems(), "problem"), '\n',
             next_moves(report));
  TRY(write_text(call.world.output, out));
  return report.ok() ? ExitCode::ok : ExitCode::no;
}

}  // namespace

constinit const Verb verify_verb = {
    .name = "verify",
    .summary = "Check everything in the store against its log",
    .help = R"(Checks one moment of the store, even while servers write: the hash chain of
each session, that every referenced text exists unchanged and none is
left over, that every row of every table matches the log, and that the tables,
indexes and triggers are those that Baton makes. Also runs the database's own
integrity check. Writes nothing. Exit code 1 when there is a problem; each is
named with its place, and the end says what to do: `baton rebuild` when only the
index is wrong, a backup or `baton salvage` when the log is. Decisions that came
with an import are a note: this store did not see who made them.

It also checks what owners sealed (`baton approvals`). Who can write the store's
files can make keys and seals of their own: --approvals names a public key that
was kept elsewhere, and then what it does not vouch for is a problem. The line
that begins with `head:` names everything in the log. Noted elsewhere and given
with --since later, it shows whether the store still has all that it had then,
also after older files were put back. What `baton gc` removed since cannot be
compared: note a new head after it.
)",
    .options = verify_options,
    .operand = {},
    .settings = verify_settings,
    .run = run_verify};

}  // namespace baton::cli
