#pragma once
// Makes every token that a run gave out so far void.

#include "engine/engine.h"

namespace baton::verbs {

Result<void> revoke(engine::Engine& engine, const run::RunRow& run);

}  // namespace baton::verbs
