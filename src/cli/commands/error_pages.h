#pragma once
// The pages of docs/errors and docs/blockers as part of the program. Constant data.

#include <span>

#include "base/text/embedded_text.h"

namespace baton::cli {

std::span<const EmbeddedText> error_pages();
std::span<const EmbeddedText> blocker_pages();

}  // namespace baton::cli
