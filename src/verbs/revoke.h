#pragma once
// Voids every token that a run has given out so far.

#include "verbs/engine.h"

namespace baton::verbs {

Result<void> revoke(Engine& engine, const run::RunRow& run);

}  // namespace baton::verbs
