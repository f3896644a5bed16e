#pragma once
// What files of other systems mean by what they write differently: braces that are no expressions,
// arguments of routines, loops that their body's artifact controls. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "workflow/read/document.h"

namespace baton::workflow {

/// The ids that a routine may have which is called by that name: `wr.templates.routine.look` means
/// `wr.routine-look`, `routine-look` or `look`.
std::vector<std::string> routine_names(std::string_view name);

/// Brings a step of a WorkRail file to what Baton calls it.
void settle_as_workrail(SyntaxNode& step, const WorkflowDocument& document,
                        Diagnostics& diagnostics);

/// The text with every `{{` that begins no path shown as it is, where the file says so.
std::string with_plain_braces(std::string_view text, const WorkflowDocument& document);

/// Puts the arguments of a call at `call` into the steps of a WorkRail routine, for `{name}`, and
/// its guidance into each of them.
void put_workrail_arguments(SyntaxNode& steps, const SyntaxNode* arguments, const SyntaxNode& call,
                            const SyntaxNode& routine, Diagnostics& diagnostics);

bool is_routine(const WorkflowDocument& document);

/// A routine that is run by itself gets as inputs what a call would give it.
void show_arguments(WorkflowDocument& routine);

/// `- key here: value` lines of a mapping from names of the context.
std::string mapped_context(const SyntaxNode& mapping);

}  // namespace baton::workflow
