#pragma once
// What the question of a gate shows beside the author's words: the command that would start, with
// its values, and the task whose step waits. What does not fit is named by its size and hash, so
// that no one takes a part for the whole. Pure.

#include <string>
#include <string_view>

#include "run/graph/state.h"
#include "run/log/process.h"
#include "workflow/compiled.h"

namespace baton::run {

/// `text`, or its beginning with how much is missing and the hash of the whole.
std::string beginning_of(std::string_view text, std::size_t bytes_max);

/// As lines, each after a line feed: the command, its values, its folder.
std::string command_lines(const ProcessIntended& intended);

/// As lines, each after a line feed: the task that the run carries out, and the item of the round
/// that the step is in; empty where there is neither.
std::string place_lines(const workflow::CompiledWorkflow& workflow, const NodeState& state);

}  // namespace baton::run
