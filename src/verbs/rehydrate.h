#pragma once
// Gives the pending step and fresh tokens of a node again, with what stands around it. It is
// handed a Reading, so it cannot append anything.

#include "verbs/tokens.h"

namespace baton::verbs {

Result<SignedReply> rehydrate(const Reading& reading, const Principal& principal,
                              std::string_view state_token);

}  // namespace baton::verbs
