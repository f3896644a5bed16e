#pragma once
// Pumping a decider, and making what it decided durable.

#include <optional>

#include "verbs/engine.h"

namespace baton::verbs {

/// Fetches what the decider needs until it has decided.
Result<run::Decided> decide(Engine& engine, run::Decider& decider);

struct Recorded {
  run::Reply reply;
  run::NodeRow node;  // the new node
};

/// Appends with the expected head. Nothing when somebody else was there first: look again.
/// On an error the outcome may be unknown; look it up by the dedupe key.
Result<std::optional<Recorded>> record(Engine& engine, run::Decided decided, run::Seq expected,
                                       std::optional<std::string> workflow);

}  // namespace baton::verbs
