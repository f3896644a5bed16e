#pragma once
// What is checked of the keys that say what a person agrees to, what a step changes outside, and
// which proof may be waived: gate, effect, on_fork, undo, despite_gaps and waivable. Pure.

#include "workflow/read/node.h"

namespace baton::workflow {

class StepChecks;

/// What is wrong with these keys of an expanded step.
void check_gate_keys(const SyntaxNode& step, StepChecks& checks);

}  // namespace baton::workflow
