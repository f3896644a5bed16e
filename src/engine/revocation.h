#pragma once
// Whether the tokens of a run are void. Reads only.

#include "engine/engine.h"

namespace baton::engine {

/// How the dedupe keys of revocations begin, and no others.
inline constexpr std::string_view revocation_prefix = "revoke:";

/// Whether the tokens of a node are void: by the revocations in the log, which the node's row must
/// agree with.
Result<bool> is_revoked(const ReadContext& reading, const run::NodeRow& node);

/// TOKEN_REVOKED.
std::unexpected<Error> tokens_are_revoked();

/// For a node that was in the store and is not: TOKEN_UNKNOWN_NODE when gc removed its session,
/// STORE_REPLACED when nothing did, so that the file is not the one that had it.
std::unexpected<Error> run_is_missing(const ReadContext& reading, const SessionId& session);

/// TOKEN_UNKNOWN_NODE.
std::unexpected<Error> run_is_removed();

}  // namespace baton::engine
