// `baton backup` and `baton restore`.

#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/config/places.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "ports/store_admin.h"
#include "verbs/store/verify.h"

namespace baton::cli {
namespace {

constexpr std::string_view backup_settings[] = {"db"};
constexpr Option restore_options[] = {
    {"--accept-loss", "", "Accept a store that is older than its heads", false},
};

constexpr std::int64_t quick_pages = 65'536;  // copied before anyone could read a line

/// A line that is written over itself, on a terminal and for a long copy only.
ports::CopyProgress progress_on(const World& world) {
  if (!world.errors_are_terminal) return {};
  return [&world, shown = std::int64_t{-1}](std::int64_t done, std::int64_t total) mutable {
    const std::int64_t percent = total > 0 ? done * 100 / total : 100;
    if (total < quick_pages || percent == shown) return;
    shown = percent;
    const std::string line = percent < 100 ? cat("copying ", percent, " %") : std::string();
    static_cast<void>(write_progress(world.errors, line));
  };
}

std::string absolute(const World& world, const std::string& file) {
  return (world.directory / file).lexically_normal().string();
}

Result<Ending> run_backup(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  TRY(backend->existing());
  const std::string file = absolute(call.world, call.arguments.operand);
  const ports::StoreCopy copy = TRY(backend->store_admin().backup(file, progress_on(call.world)));
  std::string out = cat("The store up to commit ", copy.commits, " is in\n");
  for (const std::string& name : copy.files) out += cat("  ", printable_line(name), '\n');
  out += "Keep these together: the runs cannot be used without the keys.\n";
  if (!copy.is_sound) {
    out += cat("The store is damaged, and so is the copy: `baton verify --db ",
               printable_line(copy.files.front()), "` lists the damage.\n");
  }
  TRY(write_text(call.world.output, out));
  return copy.is_sound ? ExitCode::ok : ExitCode::no;
}

Result<Ending> run_restore(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  TRY(check_store_place(config.store()));
  const auto backend = call.parts.open_backend(config);
  const bool accepts = call.arguments.has("--accept-loss");
  if (accepts == !call.arguments.operand.empty()) {
    return fail(Code::USAGE, "restore takes a FILE that `baton backup` made, or --accept-loss");
  }
  if (accepts) {
    const std::int64_t epoch = TRY(backend->store_admin().accept_loss());
    TRY(write_text(call.world.output,
                   cat("The store is accepted as it is; epoch ", epoch, " has begun.\n")));
    return ExitCode::ok;
  }
  const std::string file = absolute(call.world, call.arguments.operand);
  const ports::StoreRestored made =
      TRY(backend->store_admin().restore(file, progress_on(call.world)));
  std::string out =
      cat("The store is back at commit ", made.commits, "; epoch ", made.epoch, " has begun.\n");
  const verbs::VerifyReport report = TRY(verbs::verify(TRY(backend->existing())->store, {}));
  if (!report.ok()) out += "The copy was damaged: `baton verify` lists the damage.\n";
  if (!made.before.empty())
    out += cat("The previous store is in ", printable_line(made.before), '\n');
  TRY(write_text(call.world.output, out));
  return report.ok() ? ExitCode::ok : ExitCode::no;
}

}  // namespace

constinit const Verb backup_verb = {
    .name = "backup",
    .summary = "Copy the store while it is in use",
    .help = R"(Copies the store as it is at one moment, with everything that belongs to it:
its keys and the heads of its sessions. Servers may keep writing. The copy is
a store itself (--db FILE), and `baton restore FILE` puts it back. Nothing is
ever overwritten. Anyone who can read the copy can make tokens for its runs.
A store that lost commits is not copied (STORE_ROLLED_BACK), since the copy
would not know of them. Exit code 1 when the pages of the store are damaged.
)",
    .options = {},
    .operand = {"FILE", "The file to write the copy to; its companions go beside it", true},
    .settings = backup_settings,
    .run = run_backup};

constinit const Verb restore_verb = {
    .name = "restore",
    .summary = "Replace the store with a copy of it",
    .help = R"(Replaces the store with a copy that `baton backup` made. No server may be
using the store. The previous store is kept beside it. The restore is
recorded in the store as a new epoch; tokens issued after the copy was made
are rejected. The restored store is verified: exit code 1 when it is damaged.

With --accept-loss it restores nothing: it accepts a store that is older than
its heads (STORE_ROLLED_BACK), so that it can be written again. It
rejects a store that lost nothing.
)",
    .options = restore_options,
    .operand = {"FILE", "The copy, with its companions beside it", false},
    .settings = backup_settings,
    .run = run_restore};

}  // namespace baton::cli
