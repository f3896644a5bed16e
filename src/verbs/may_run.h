#pragma once
// Whether the server may run the commands of a workflow itself.

#include "verbs/engine.h"

namespace baton::verbs {

/// The user's word, asked for only when the workflow has commands. Whatever is in the way of asking
/// means no.
bool may_run(Engine& engine, const workflow::Pinned& workflow);

}  // namespace baton::verbs
