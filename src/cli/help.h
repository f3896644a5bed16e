#pragma once
// What the command line says about itself, made from the table of verbs.

#include <string>

#include "cli/verb.h"

namespace baton::cli {

/// `baton help`: every verb in a line.
std::string overview();

/// `baton help VERB`.
std::string help_of(const Verb& verb);

/// docs/cli.md.
std::string reference();

/// An unknown verb, with the nearest one.
Error no_such_verb(std::string_view name);

}  // namespace baton::cli
