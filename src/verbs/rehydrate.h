#pragma once
// Gives the pending step and fresh tokens of a node again, with what stands around it. It is
// handed a Reading, so it cannot append anything.

#include "verbs/tokens.h"

namespace baton::verbs {

/// What is told beside the pending step: what was done before and since, and whether the workflow's
/// file has changed.
enum class Around : std::uint8_t { told, left_out };

Result<SignedReply> rehydrate(const Reading& reading, const Principal& principal,
                              std::string_view state_token, Around around = Around::told);

/// The same for a node that the caller has a right to, without a token of it.
Result<SignedReply> look_at(const Reading& reading, const Principal& principal,
                            const run::NodeRow& node, Around around = Around::left_out);

}  // namespace baton::verbs
