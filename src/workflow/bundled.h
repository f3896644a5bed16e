#pragma once
// The workflows, personas and rules that are part of the program, from content/. Constant data.

#include <span>

#include "base/text/embedded_text.h"

namespace baton::workflow {

std::span<const EmbeddedText> bundled_texts();

}  // namespace baton::workflow
