#pragma once
// How the walk goes through the rounds of a loop, and what the agent says of them. Pure.

#include <span>
#include <string_view>

#include "run/checks/artifacts.h"
#include "run/graph/cursor.h"
#include "run/walk/walk_moves.h"
#include "workflow/compiled.h"

namespace baton::run {

/// Notes what the agent said of the loops around `cursor`: each the one it names, or the innermost
/// that an agent can decide; without one around, of the loop right behind the step, which is then
/// entered or left out. INVALID_INPUT when there is no such loop.
Result<void> note_decisions(const workflow::CompiledWorkflow& workflow, Cursor& cursor,
                            std::span<const LoopControl> controls);

/// Whether the step right behind the one at `cursor` is a loop that an agent can decide about.
bool is_before_loop(const workflow::CompiledWorkflow& workflow, const Cursor& cursor);

/// Whether it is a loop that goes around by a condition or by what the agent says of each round,
/// and not by items or a count.
bool is_decidable(const workflow::Step* step);

/// Behind the loop that the walk is in.
Known<void> exit_loop(WalkMoves& walk, std::string_view why);

/// To the next round of the loop that the walk is in, or behind the loop.
Known<void> end_round(WalkMoves& walk, Scripts& scripts);

}  // namespace baton::run
