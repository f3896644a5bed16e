#include <array>

#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr std::string_view keys_settings[] = {"db"};
constexpr std::array<std::string_view, 3> actions = {"list", "rotate", "retire"};
constexpr Option keys_options[] = {{"--slot", "N", "With retire: which key", false}};

Result<std::string> retire(ports::KeyAdmin& keys, const Arguments& arguments) {
  const auto given = arguments.options.find("--slot");
  const auto slot =
      given == arguments.options.end() ? std::nullopt : parse_int(given->second.back());
  if (!slot || *slot < 0 || *slot > 15) {
    return fail(Code::USAGE, "retire needs --slot and a number from 0 to 15",
                "`baton keys list` shows the slots");
  }
  TRY(keys.retire(static_cast<std::uint8_t>(*slot)));
  return cat("The key in slot ", *slot, " is removed; tokens signed with it are not valid.\n");
}

Result<std::string> answer(ports::KeyAdmin& keys, const Arguments& arguments) {
  if (arguments.operand == "list") {
    std::string out;
    for (const ports::KeySlot& key : TRY(keys.list())) {
      out += cat("slot ", key.slot, key.is_current ? ": current\n" : ": verifies only\n");
    }
    return out;
  }
  if (arguments.operand == "rotate") {
    const std::uint8_t slot = TRY(keys.rotate());
    return cat("A new key in slot ", slot, " signs from now on; the others still verify.\n");
  }
  if (arguments.operand == "retire") return retire(keys, arguments);
  const auto near = nearest(arguments.operand, actions);
  return fail(
      Code::USAGE, cat("keys has no action '", arguments.operand, '\''),
      near ? cat("did you mean '", *near, "'?") : "the actions are list, rotate and retire");
}

Result<Ending> run_keys(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  TRY(write_text(call.world.output, TRY(answer(backend->keys(), call.arguments))));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb keys_verb = {
    .name = "keys",
    .summary = "List, rotate or retire the keys that sign tokens",
    .help = R"(list shows the slots in use. rotate creates a new key that signs from now on;
tokens of older keys stay valid. retire --slot N removes an older key; tokens
signed with it are no longer valid. Running servers notice at once.
)",
    .options = keys_options,
    .operand = {"ACTION", "What to do", true, false, actions},
    .settings = keys_settings,
    .run = run_keys};

}  // namespace baton::cli
