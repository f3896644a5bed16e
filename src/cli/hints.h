#pragma once
// Hints for somebody at a terminal.

#include "base/error.h"

namespace baton::cli {

/// The error with a hint that names a command where the verb's own names a tool: verbs speak to
/// agents.
Error for_terminal(Error error);

}  // namespace baton::cli
