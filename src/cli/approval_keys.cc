#include "cli/approval_keys.h"

#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "engine/load/approvals.h"

namespace baton::cli {

Result<std::unique_ptr<ports::ApprovalKeyFile>> open_approval_key(const VerbCall& call,
                                                                  const Config& config) {
  const auto given = option_of(call.arguments, approval_key_option.name);
  const std::string path =
      given ? (call.world.directory / *given).lexically_normal().string() : config.approval_key();
  if (!path.empty()) return call.parts.open_approval_key(path);
  return fail(Code::ENVIRONMENT, "there is no folder of yours for an approval key",
              "set HOME, or name a file with --key");
}

Result<void> finish_rotation(engine::Engine& engine, ports::ApprovalKeyFile& file) {
  const auto prepared = TRY(file.prepared());
  if (!prepared) return {};
  const auto approvals = TRY(engine::approvals_of(engine.reading(), engine.signatures));
  if (!approvals.keys.is_in_force(*prepared)) return {};
  return file.take_prepared();
}

Result<std::unique_ptr<ports::Sealer>> unlock(const PassphraseReader& reader,
                                              ports::ApprovalKeyFile& file, const World& world) {
  TRY(file.key());  // before anyone types anything
  while (true) {
    auto open = file.unlock(TRY(reader.ask("Passphrase of your approval key")).view());
    if (open || open.error().code != Code::INVALID_INPUT || !world.input_is_terminal) return open;
    TRY(write_text(world.errors, cat("baton: ", open.error().message, '\n')));
  }
}

}  // namespace baton::cli
