#pragma once
// The approval key of the person at the terminal, for the verbs that seal.

#include <memory>

#include "cli/config/config.h"
#include "cli/parts.h"
#include "cli/passphrase.h"
#include "cli/verb.h"
#include "ports/approval_key.h"

namespace baton::cli {

/// The option --key, for the verbs that use an approval key.
inline constexpr Option approval_key_option = {
    "--key", "FILE", "Your approval key, unless it is approval.key in your data folder"};

/// The file that --key names, or the one in the user's own folder. ENVIRONMENT: there is no folder.
Result<std::unique_ptr<ports::ApprovalKeyFile>> open_approval_key(const VerbCall& call,
                                                                  const Config& config);

/// Finishes a rotation that was cut off: a key that was prepared and recorded takes its place.
Result<void> finish_rotation(engine::Engine& engine, ports::ApprovalKeyFile& file);

/// Asks for the passphrase until it is right, as often as one process may.
Result<std::unique_ptr<ports::Sealer>> unlock(const PassphraseReader& reader,
                                              ports::ApprovalKeyFile& file, const World& world);

}  // namespace baton::cli
