#pragma once
// Messages that follow one another are delivered together. Pure.

#include <string>
#include <vector>

#include "run/graph/cursor.h"
#include "workflow/compiled.h"

namespace baton::run {

/// The keys of the messages that are delivered with the one that `cursor` is at: those behind
/// it, up to the first other step or one with a condition.
std::vector<std::string> keys_passed_with(const workflow::CompiledWorkflow& workflow,
                                          const Cursor& cursor);

/// Moves the cursor to the last of these.
void pass_messages(const workflow::CompiledWorkflow& workflow, Cursor& cursor);

}  // namespace baton::run
