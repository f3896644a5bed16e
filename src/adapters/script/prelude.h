#pragma once
// The files *.js of this folder as part of the program. Constant data.

#include <span>

#include "base/text/embedded_text.h"

namespace baton::adapters {

std::span<const EmbeddedText> script_texts();

}  // namespace baton::adapters
