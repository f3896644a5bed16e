#include <array>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/approval_keys.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "engine/load/approvals.h"
#include "verbs/store/approvals.h"

namespace baton::cli {
namespace {

constexpr std::string_view approvals_settings[] = {"db"};
constexpr std::array<std::string_view, 5> actions = {"init", "show", "rotate", "admit", "withdraw"};
constexpr std::string_view keep_it =
    "Keep this line where no agent of yours can write, on paper for instance:\n"
    "`baton verify --approvals KEY` needs it to find keys and seals that are not yours.\n";

/// What every action works with.
struct Desk {
  const VerbCall& call;
  engine::Engine& engine;
  ports::ApprovalKeyFile& file;

  Result<void> say(std::string_view text) const { return write_text(call.world.output, text); }
};

Result<std::unique_ptr<ports::Sealer>> make_key(const Desk& desk, const PassphraseReader& reader) {
  auto made = TRY(desk.file.make(TRY(reader.ask_new("A passphrase for your new key")).view()));
  TRY(write_text(desk.call.world.errors,
                 cat("Made an approval key at ", printable_line(desk.file.path()), ".\n")));
  return made;
}

Result<void> init(const Desk& desk) {
  const PassphraseReader reader = TRY(PassphraseReader::of(desk.call));
  const auto known = desk.file.key();
  if (!known && known.error().code != Code::NOT_FOUND) return std::unexpected(known.error());
  const auto sealer =
      known ? TRY(unlock(reader, desk.file, desk.call.world)) : TRY(make_key(desk, reader));
  const auto recorded = verbs::record_first_key(desk.engine, *sealer);
  if (!recorded && recorded.error().code != Code::INVALID_INPUT) return recorded;
  TRY(desk.say(cat("Your public key: ", sealer->key(), '\n', keep_it)));
  if (!recorded) {
    return desk.say(
        cat("This store has an approval key of another person already. Yours counts here when that "
            "person\nruns `baton approvals admit ",
            sealer->key(), "`.\n"));
  }
  return desk.say("It is recorded in the store. Gates that ask for `sealed` take its seal.\n");
}

Result<void> show(const Desk& desk) {
  const auto approvals = TRY(engine::approvals_of(desk.engine.reading(), desk.engine.signatures));
  std::string out;
  const auto mine = desk.file.key();
  if (!mine && mine.error().code != Code::NOT_FOUND) return std::unexpected(mine.error());
  const std::string path = printable_line(desk.file.path());
  out += mine ? cat("your key:  ", *mine, "\n           ", path, '\n')
              : cat("your key:  none at ", path, '\n');
  if (approvals.keys.first().empty()) {
    out += "the store: no key is recorded; `baton approvals init` records yours\n";
    return desk.say(out);
  }
  out += cat("first key: ", approvals.keys.first(), '\n');
  for (const std::string& key : approvals.keys.in_force()) {
    out += cat("counts:    ", key, mine && *mine == key ? " (yours)\n" : "\n");
  }
  if (approvals.policy) out += cat("policy:    number ", approvals.policy->number, " is signed\n");
  return desk.say(out);
}

Result<void> rotate(const Desk& desk) {
  const PassphraseReader reader = TRY(PassphraseReader::of(desk.call));
  const auto before = TRY(unlock(reader, desk.file, desk.call.world));
  const auto next =
      TRY(desk.file.prepare(TRY(reader.ask_new("A new passphrase for the new key")).view()));
  TRY(verbs::change_keys(desk.engine, *before, run::KeyChange::replaced, next->key()));
  TRY(desk.file.take_prepared());
  return desk.say(cat("Your new public key: ", next->key(), '\n', keep_it,
                      "Keep the older one too: what it sealed is checked with it. Its file is kept "
                      "beside the\nnew one, for other stores that know it alone; remove it when "
                      "none does.\n"));
}

Result<void> change_other(const Desk& desk, run::KeyChange change) {
  const std::string& key = desk.call.arguments.second;
  if (key.empty()) {
    return fail(Code::USAGE, cat(desk.call.arguments.operand, " needs a public key"),
                "`baton approvals show` lists those that count");
  }
  const PassphraseReader reader = TRY(PassphraseReader::of(desk.call));
  const auto sealer = TRY(unlock(reader, desk.file, desk.call.world));
  TRY(verbs::change_keys(desk.engine, *sealer, change, key));
  return desk.say(change == run::KeyChange::admitted ? "The key counts from now on.\n"
                                                     : "The key counts no longer.\n");
}

Result<void> act(const Desk& desk) {
  const std::string& action = desk.call.arguments.operand;
  if (!desk.call.arguments.second.empty() && action != "admit" && action != "withdraw") {
    return fail(Code::USAGE, cat(action, " takes no key"), "see 'baton help approvals'");
  }
  if (action == "init") return init(desk);
  if (action == "show") return show(desk);
  if (action == "rotate") return rotate(desk);
  if (action == "admit") return change_other(desk, run::KeyChange::admitted);
  if (action == "withdraw") return change_other(desk, run::KeyChange::withdrawn);
  const auto near = nearest(action, actions);
  return fail(Code::USAGE, cat("approvals has no action '", action, '\''),
              near ? cat("did you mean '", *near, "'?")
                   : "the actions are init, show, rotate, admit and withdraw");
}

Result<Ending> run_approvals(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  const auto file = TRY(open_approval_key(call, config));
  // The store may come after the key: `init` makes it.
  engine::Engine* engine =
      TRY(call.arguments.operand == "init" ? backend->engine() : backend->existing());
  TRY(finish_rotation(*engine, *file));
  TRY(act({call, *engine, *file}));
  return ExitCode::ok;
}

constexpr Option approvals_options[] = {
    approval_key_option,
    passphrase_option,
};

}  // namespace

constinit const Verb approvals_verb = {
    .name = "approvals",
    .summary = "Make, show or change the keys that seal approvals",
    .help = R"(init makes your approval key, encrypted under a passphrase, and records its
public key in the store as the first; a key that you have already is used again.
Where the store has the key of another person, that one admits yours.
show prints the public keys that count. rotate makes a new key, which counts in
place of yours because yours signs it. admit KEY lets the key of another person
count beside yours; withdraw KEY ends that. Each change is signed by your key
and recorded in the store.

The passphrase is read from the terminal without showing it. It cannot be
recovered: with it lost, gates that ask for `sealed` can be passed with another
person's key only. Type it where no agent has a shell.
)",
    .options = approvals_options,
    .operand = {"ACTION", "What to do", true, false, actions},
    .settings = approvals_settings,
    .run = run_approvals,
    .second = {"KEY", "The public key that admit and withdraw are about", false}};

}  // namespace baton::cli
