#pragma once
// What the rail says to agents, in the words of its tools.

#include <string>
#include <string_view>

#include "run/show/reply.h"
#include "surface/words.h"

namespace baton::surface::rail {

/// A next move.
std::string say(const NextMove& next);

/// How an agent begins, for the answer to `initialize`.
std::string_view instructions();

/// What the pending step asks for. Of a step that sub-agents do: how to start them, and their
/// tasks.
std::string prompt_text(const run::Reply& reply);

}  // namespace baton::surface::rail
