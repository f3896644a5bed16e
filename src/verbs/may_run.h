#pragma once
// Whether the server may run the commands of a workflow itself.

#include "verbs/engine.h"

namespace baton::verbs {

/// The user's word, asked for only when the workflow has commands. Whatever is in the way of asking
/// means no.
bool may_run(Engine& engine, const workflow::Pinned& workflow);

/// The name under which the server runs them; empty when it does not.
std::string runner_of(Engine& engine, bool may_run);

}  // namespace baton::verbs
