#pragma once
// Takes a bundle into the store: all of it or nothing, after everything in it was checked.

#include "engine/engine.h"

namespace baton::verbs {

struct Imported {
  SessionId session;
  std::vector<RunId> runs;
  bool renamed = false;  // its own ids were taken here, so it got new ones
  std::int64_t commits = 0;
};

Result<Imported> import_bundle(engine::Engine& engine, std::string_view text);

}  // namespace baton::verbs
