#pragma once
// A Document as text: header, description, constraints, tasks and direction, an empty line between
// them, a newline at the end. Values only; any thread.
//
// For every document that validate() accepts, parse(format(x)).document == x.

#include <string>

#include "plan/config.h"
#include "plan/document.h"

namespace baton::plan {

/// Without a header there is no text, since nothing can stand without one.
std::string format(const Document& document, const Config& config = default_config());

}  // namespace baton::plan
