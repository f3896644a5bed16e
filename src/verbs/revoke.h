#pragma once
// Voids every token that a run has given out so far.

#include "verbs/engine.h"

namespace baton::verbs {

/// How the dedupe keys of revocations begin, and no others.
inline constexpr std::string_view revocation_prefix = "revoke:";

Result<void> revoke(Engine& engine, const run::RunRow& run);

}  // namespace baton::verbs
